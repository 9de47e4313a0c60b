const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/**
 * An egg's startup command as shell text: `{{VAR}}` becomes `${VAR}` in capitals, also in `[[ … ]]`. The shell expands
 * values from the environment in one pass, so user input is never parsed as shell code.
 */
export function toShell(startup: string): string {
  return startup.replace(placeholder, (_whole, name: string) => `\${${name.toUpperCase()}}`);
}

/** Signals that owners can send. The shell survives them and waits for the game's end. */
const survived = 'HUP INT QUIT TERM ABRT USR1 USR2';

/** Egg commands are written for bash; images without it use sh. */
const preferBash = 'command -v bash >/dev/null 2>&1 && exec bash -c "$0"; exec /bin/sh -c "$0"';

/**
 * Program and arguments that run shell text and end with its exit code. A signal reaches every process, and a shell's
 * death would end the game before it saves. An empty trap keeps the shell waiting and, unlike an ignored signal, is not
 * inherited.
 */
export function shellArguments(shellText: string): string[] {
  return ['/bin/sh', '-c', preferBash, `trap : ${survived}\n${shellText}`];
}
