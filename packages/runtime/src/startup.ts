const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/**
 * `{{VAR}}` becomes `${VAR}` in capitals, also in `[[ … ]]`. The shell expands values in one pass, so user input is
 * never parsed as shell code.
 */
export function toShell(startup: string): string {
  return startup.replace(placeholder, (_whole, name: string) => `\${${name.toUpperCase()}}`);
}

/** Owners' signals, which the shell survives. */
const survived = 'HUP INT QUIT TERM ABRT USR1 USR2';

/** Egg commands are written for bash; images without it use sh. */
const preferBash = 'command -v bash >/dev/null 2>&1 && exec bash -c "$0"; exec /bin/sh -c "$0"';

/**
 * Ends with the shell text's exit code. A signal reaches every process, and a shell's death would end the game before
 * it saves. An empty trap, unlike an ignored signal, is not inherited.
 */
export function shellArguments(shellText: string): string[] {
  return ['/bin/sh', '-c', preferBash, `trap : ${survived}\n${shellText}`];
}

/** For interpreters on Linux: without a byte order mark and carriage returns. */
export function scriptText(script: string): string {
  return script.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}
