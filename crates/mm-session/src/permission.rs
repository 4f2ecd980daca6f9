//! Whether a call may run.

use std::collections::HashMap;

use mm_tools::{Preview, RiskLevel};

use crate::Confirmation;

/// Decides over calls by `yolo` and by the answers that the user gave for the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    yolo: bool,
    asks_risky: bool,
    /// Tools with an answer that stands: allowed or not.
    standing: HashMap<String, bool>,
}

/// What the gate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permit {
    /// The call may run.
    Run,
    /// The user decides.
    Ask,
    /// The call may not run, with the words for the model.
    Refuse(String),
}

impl Gate {
    /// With `yolo` every call runs unless the user said never; without it each call that changes
    /// something is asked about.
    pub fn new(yolo: bool) -> Self {
        Self { yolo, asks_risky: false, standing: HashMap::new() }
    }

    /// What was answered for the session until now counts no more: this is newer.
    pub(crate) fn set_yolo(&mut self, yolo: bool) {
        self.standing.clear();
        self.yolo = yolo;
    }

    /// With `asks`, risky calls are asked about under `yolo` too.
    pub fn asking_risky(mut self, asks: bool) -> Self {
        self.asks_risky = asks;
        self
    }

    /// Refuses a call that never runs, whoever allows it.
    pub fn guard(&self, preview: &Preview) -> Option<Permit> {
        let risk = &preview.risk;
        match risk.level {
            RiskLevel::Plain | RiskLevel::Risky => None,
            RiskLevel::Catastrophic => {
                Some(Permit::Refuse(format!("[refused by the guard: {}: {}]", risk.rule, risk.why)))
            }
        }
    }

    /// Checks a call. What is allowed for the session covers no risky one.
    pub fn check(&self, tool: &str, preview: &Preview) -> Permit {
        if let Some(refusal) = self.guard(preview) {
            return refusal;
        }
        let is_risky = preview.risk.level == RiskLevel::Risky && (self.asks_risky || !self.yolo);
        match self.standing.get(tool) {
            _ if !preview.mutating => Permit::Run,
            Some(false) => {
                Permit::Refuse("[refused: the user does not allow this tool in this session]".into())
            }
            Some(true) | None if is_risky => Permit::Ask,
            Some(true) => Permit::Run,
            None if self.yolo => Permit::Run,
            None => Permit::Ask,
        }
    }

    /// Takes an answer: whether the call at hand runs, else the words for the model.
    ///
    /// # Errors
    /// The words for the model when it does not run.
    pub fn answer(&mut self, tool: &str, answer: Confirmation) -> Result<(), String> {
        match answer {
            Confirmation::Once => Ok(()),
            Confirmation::Session => {
                self.standing.insert(tool.to_owned(), true);
                Ok(())
            }
            Confirmation::Refuse => Err("[refused by the user]".into()),
            Confirmation::Never => {
                self.standing.insert(tool.to_owned(), false);
                Err("[refused by the user, who does not allow this tool in this session]".into())
            }
            Confirmation::Nobody(why) => Err(format!("[refused: {why}]")),
        }
    }
}

#[cfg(test)]
mod tests {
    use mm_tools::Risk;

    use super::*;

    #[test]
    fn each_case_has_its_permit() {
        let refused = Permit::Refuse("[refused: the user does not allow this tool in this session]".into());
        let rows = [
            (true, None, true, Permit::Run),
            (true, None, false, Permit::Run),
            (false, None, true, Permit::Ask),
            (false, None, false, Permit::Run),
            (false, Some(Confirmation::Once), true, Permit::Ask),
            (false, Some(Confirmation::Session), true, Permit::Run),
            (false, Some(Confirmation::Refuse), true, Permit::Ask),
            (false, Some(Confirmation::Never), true, refused.clone()),
            (true, Some(Confirmation::Never), true, refused),
            (false, Some(Confirmation::Never), false, Permit::Run),
            (false, Some(Confirmation::Nobody("x".into())), true, Permit::Ask),
        ];
        for (yolo, answer, mutating, expected) in rows {
            let mut gate = Gate::new(yolo);
            if let Some(answer) = answer.clone() {
                let _ = gate.answer("bash", answer);
            }
            let preview = if mutating { Preview::mutating("x") } else { Preview::reading("x") };
            assert_eq!(gate.check("bash", &preview), expected, "{yolo} {answer:?} {mutating}");
            let other = if yolo { Permit::Run } else { Permit::Ask };
            assert_eq!(gate.check("other", &Preview::mutating("x")), other, "an answer is for one tool");
        }
    }

    #[test]
    fn a_risk_counts_more_than_an_answer() {
        let call = |level| {
            let risk = Risk { level, rule: "some-rule", why: "it does harm".into() };
            Preview { risk, ..Preview::mutating("x") }
        };
        let refused = Permit::Refuse("[refused by the guard: some-rule: it does harm]".into());
        let never = Permit::Refuse("[refused: the user does not allow this tool in this session]".into());
        let session = Some(Confirmation::Session);
        let rows = [
            (true, false, None, Permit::Run, Permit::Run),
            (true, true, None, Permit::Run, Permit::Ask),
            (true, true, session.clone(), Permit::Run, Permit::Ask),
            (false, false, None, Permit::Ask, Permit::Ask),
            (false, false, session.clone(), Permit::Run, Permit::Ask),
            (false, true, session, Permit::Run, Permit::Ask),
            (false, false, Some(Confirmation::Never), never.clone(), never),
        ];
        for (yolo, asks_risky, answer, plain, risky) in rows {
            let mut gate = Gate::new(yolo).asking_risky(asks_risky);
            if let Some(answer) = answer.clone() {
                let _ = gate.answer("bash", answer);
            }
            assert_eq!(gate.check("bash", &call(RiskLevel::Plain)), plain, "{yolo} {asks_risky} {answer:?}");
            assert_eq!(gate.check("bash", &call(RiskLevel::Risky)), risky, "{yolo} {asks_risky} {answer:?}");
            assert_eq!(gate.check("bash", &call(RiskLevel::Catastrophic)), refused, "{yolo} {asks_risky}");
        }
    }

    #[test]
    fn a_refusal_tells_the_model_why() {
        let mut gate = Gate::new(false);
        assert_eq!(gate.answer("bash", Confirmation::Once), Ok(()));
        assert_eq!(gate.answer("bash", Confirmation::Refuse), Err("[refused by the user]".into()));
        let nobody = Confirmation::Nobody("nobody can confirm this call in -p mode".into());
        assert_eq!(
            gate.answer("bash", nobody),
            Err("[refused: nobody can confirm this call in -p mode]".into())
        );
    }
}
