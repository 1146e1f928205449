/** Where VS Code keeps what its user set. */
export function VSCODE_FOLDER(file: string) {
  return {
    win32: [`$APPDATA/Code/User/${file}`, `~/AppData/Roaming/Code/User/${file}`],
    darwin: [`~/Library/Application Support/Code/User/${file}`],
    other: [`$XDG_CONFIG_HOME/Code/User/${file}`, `~/.config/Code/User/${file}`],
  } as const
}
