//! Starts `cpolc lsp` for Zed.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Cpol;

impl zed::Extension for Cpol {
    fn new() -> Self {
        Cpol
    }

    fn language_server_command(&mut self, _id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree
            .which("cpolc")
            .ok_or_else(|| "cpolc is not on the PATH".to_string())?;
        Ok(Command {
            command,
            args: vec!["lsp".to_string()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Cpol);
