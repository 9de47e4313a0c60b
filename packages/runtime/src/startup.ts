const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/**
 * An egg's startup command as shell text: `{{VAR}}` becomes `${VAR}`, also in `[[ … ]]`, where many eggs ask for their
 * switches. Names of the environment are in capitals. Values come from the environment when the shell runs, one pass, so
 * what a user typed into a variable is never read as shell.
 */
export function toShell(startup: string): string {
  return startup.replace(placeholder, (_whole, name: string) => `\${${name.toUpperCase()}}`);
}

/** Signals an owner can ask for. The shell lives through them, so that it can wait for the game to end in order. */
const survived = 'HUP INT QUIT TERM ABRT USR1 USR2';

/** Egg commands are written for bash; where an image has none, its sh has to do. */
const preferBash = 'command -v bash >/dev/null 2>&1 && exec bash -c "$0"; exec /bin/sh -c "$0"';

/**
 * Program and arguments that run shell text and end with its exit code. A signal reaches every process of the game; a
 * shell would die of it at once and take the game along before it has saved its world. A trap that does nothing makes
 * it wait instead, and unlike an ignored signal is not inherited by the game.
 */
export function shellArguments(shellText: string): string[] {
  return ['/bin/sh', '-c', preferBash, `trap : ${survived}\n${shellText}`];
}
