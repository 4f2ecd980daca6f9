# Sourced by ./check and ./bench: starts the server beside the script and waits until it is ready.
#
#   start_server NAME    sets `server` to its process and exports MM_TEST_SERVER; its log is .try/NAME.log. Fails when the
#                        packages cannot be installed here (1) or the server does not come up (2).
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || :' EXIT

start_server() {
    python=$(python3 tests/real-server/prepare.py .try </dev/null) || return 1
    url=$root/.try/$1.$$.url
    : >"$url"
    "$python" tests/real-server/serve.py --parent $$ --template tests/real-server/chat.jinja \
        --memory .try --system "$(sed -n 's/^system: //p' examples/agents/try.yaml)" \
        --log "$root/.try/$1.log" </dev/null >"$url" &
    server=$!
    tries=0
    until read -r MM_TEST_SERVER <"$url"; do
        kill -0 "$server" 2>/dev/null || { tail -n 15 ".try/$1.log" >&2; return 2; }
        tries=$((tries + 1))
        [ "$tries" -lt 2400 ] || { echo "$1: the model server is not ready after 4 minutes" >&2; return 2; }
        sleep 0.1
    done
    rm -f "$url"
    export MM_TEST_SERVER
    echo "$MM_TEST_SERVER"
}
