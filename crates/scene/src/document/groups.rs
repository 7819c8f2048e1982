//! Collision groups by name.

use crate::reader::nearest::hint;
use crate::reader::{Table, Value};
use signorini_mechanics::Groups;

/// Groups have one bit each.
const MOST: usize = 32;

/// The names of groups in the order they were met, and who refers to them.
#[derive(Default)]
pub(crate) struct GroupNames<'a> {
    names: Vec<&'a str>,
    /// Groups some shape is a member of, one bit each.
    members: u32,
    referred: Vec<(Value<'a>, &'a str)>,
}

impl<'a> GroupNames<'a> {
    /// The fields `groups` and `collides-with` of a table.
    pub(super) fn read(&mut self, table: &Table<'a>) -> Option<Groups> {
        let (member, with) = (table.get("groups"), table.get("collides-with"));
        let mut groups = Groups::ALL;
        if let Some(value) = &member {
            groups.member = self.bits(value)?;
            self.members |= groups.member;
            if groups.member == 0 {
                value.error("is empty, expected at least one name");
            }
        }
        if let Some(value) = &with {
            groups.with = self.bits(value)?;
            self.referred.extend(value.texts().unwrap_or_default());
        }
        (member.is_some() || with.is_some()).then_some(groups)
    }

    fn bits(&mut self, value: &Value<'a>) -> Option<u32> {
        let mut bits = 0;
        for (_, name) in value.texts()? {
            let known = self.names.iter().position(|known| *known == name);
            let bit = known.unwrap_or_else(|| {
                self.names.push(name);
                self.names.len() - 1
            });
            if bit >= MOST {
                value.error(format_args!("is the {}th group of the scene, expected at most {MOST}", bit + 1));
                self.names.pop();
                return None;
            }
            bits |= 1 << bit;
        }
        Some(bits)
    }

    /// Reports groups nobody is in.
    pub(super) fn finish(&self) {
        let member = |bit: usize| self.members & (1 << bit) != 0;
        let known = || self.names.iter().enumerate().filter(|(bit, _)| member(*bit)).map(|(_, name)| *name);
        for (value, name) in &self.referred {
            if !known().any(|known| known == *name) {
                let hint = hint(name, "groups", known().collect::<Vec<_>>());
                value.error_with(format_args!("is \"{name}\", a group without members"), hint);
            }
        }
    }
}
