//! Statements. A name that a statement binds is seen by the statements after it in its block.

use super::scope::{Callable, DURATIONS, Scope, Where};
use crate::lang::ast::{self, Ident, StmtKind};
use crate::lang::diag::Code;
use crate::lang::tree::{Block, Duration, Expr, Slot, Stmt, Ty};

impl Scope<'_> {
    /// A block; what it binds is forgotten after it.
    pub(super) fn block(&mut self, block: &ast::Block) -> Option<Block> {
        let base = self.vars.len();
        let mut stmts = Vec::new();
        for stmt in &block.stmts {
            if !matches!(stmt.kind, StmtKind::Nothing) {
                stmts.push(self.stmt(stmt));
            }
        }
        self.vars.truncate(base);
        Some(Block { stmts: stmts.into_iter().collect::<Option<_>>()? })
    }

    fn block_or_empty(&mut self, block: Option<&ast::Block>) -> Option<Block> {
        block.map_or_else(|| Some(Block::default()), |b| self.block(b))
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Option<Stmt> {
        if let Where::Ghost(_) = self.place {
            self.ghost_only_sets(stmt);
        }
        match &stmt.kind {
            StmtKind::Call(call, then, otherwise) => {
                let call = self.call(call);
                let then = self.block_or_empty(then.as_ref());
                let otherwise = self.block_or_empty(otherwise.as_ref());
                Some(Stmt::Call(call?, then?, otherwise?))
            }
            StmtKind::Choose { name, by, among, filter, body } => {
                let by = self.typed(by, Ty::Player);
                let (var, among, filter, body) = self.range(name, among, filter.as_ref(), body)?;
                Some(Stmt::Choose { var, by: by?, among, filter, body })
            }
            StmtKind::Each { name, among, filter, body } => {
                let (var, among, filter, body) = self.range(name, among, filter.as_ref(), body)?;
                Some(Stmt::Each { var, among, filter, body })
            }
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.typed(condition, Ty::Bool);
                let then = self.block(then);
                let otherwise = self.block_or_empty(otherwise.as_ref());
                Some(Stmt::If(condition?, then?, otherwise?))
            }
            StmtKind::May(player, then, otherwise) => {
                let player = self.typed(player, Ty::Player);
                let then = self.block(then);
                let otherwise = self.block_or_empty(otherwise.as_ref());
                Some(Stmt::May(player?, then?, otherwise?))
            }
            StmtKind::Let(name, value) => {
                let Some((value, ty)) = self.infer(value) else {
                    self.poison.insert(name.text.clone());
                    return None;
                };
                let slot = self.bind(name, ty);
                Some(Stmt::Let(slot, value))
            }
            StmtKind::Give(object, mods, until) => {
                let object = self.typed(object, Ty::Object);
                let mods = self.fixed_modifications(mods);
                let until = match until {
                    None => Some(Duration::Forever),
                    Some(name) => self.duration(name),
                };
                Some(Stmt::Give(object?, mods?, until?))
            }
            StmtKind::Set(call, value) => self.set(call, value),
            StmtKind::Nothing => None,
        }
    }

    #[allow(clippy::type_complexity)]
    fn range(
        &mut self,
        name: &Ident,
        among: &[ast::Expr],
        filter: Option<&ast::Expr>,
        body: &ast::Block,
    ) -> Option<(Slot, Vec<Expr>, Option<Expr>, Block)> {
        let among: Vec<Option<Expr>> = among.iter().map(|e| self.typed(e, Ty::Object)).collect();
        let base = self.vars.len();
        let var = self.bind(name, Ty::Object);
        let filter = self.guard(filter);
        let body = self.block(body);
        self.vars.truncate(base);
        Some((var, among.into_iter().collect::<Option<_>>()?, filter?, body?))
    }

    fn duration(&mut self, name: &Ident) -> Option<Duration> {
        let found = DURATIONS.iter().find(|d| d.0 == name.text).map(|d| d.1);
        if found.is_none() {
            let pool: Vec<&str> = DURATIONS.iter().map(|d| d.0).collect();
            self.unknown(Code::L201, &name.text, name.span, format!("there is no duration `{}`", name.text), &pool);
        }
        found
    }

    fn set(&mut self, call: &ast::Call, value: &ast::Expr) -> Option<Stmt> {
        let name = &call.name;
        let Some(Callable::Marker(id)) = self.env.callables.get(&name.text).copied() else {
            let env = self.env;
            let markers = env.callables.iter().filter(|(_, c)| matches!(c, Callable::Marker(_)));
            let pool: Vec<&str> = markers.map(|(n, _)| n.as_str()).collect();
            self.unknown(Code::L201, &name.text, name.span, format!("no marker is named `{}`", name.text), &pool);
            return None;
        };
        let marker = &self.env.program.markers[id.index()];
        if marker.ghost && self.place == Where::Law {
            self.error(Code::L228, name.span, format!("the law can't set the ghost `{}`", name.text));
        }
        if let Where::Ghost(own) = self.place
            && own != id
        {
            self.error(Code::L227, name.span, format!("a ghost only sets itself, not `{}`", name.text));
        }
        self.env.marker_sets.borrow_mut().insert(id);
        let of = self.only_arg(&name.text, &call.args, marker.on, call.span);
        let value = self.typed(value, Ty::Bool);
        Some(Stmt::Set(id, of?, value?))
    }

    fn ghost_only_sets(&mut self, stmt: &ast::Stmt) {
        match stmt.kind {
            StmtKind::Set(..) | StmtKind::If(..) | StmtKind::Each { .. } | StmtKind::Let(..) | StmtKind::Nothing => {}
            StmtKind::Call(..) | StmtKind::Choose { .. } | StmtKind::May(..) | StmtKind::Give(..) => {
                self.error(Code::L227, stmt.span, "a ghost only sets itself");
            }
        }
    }
}
