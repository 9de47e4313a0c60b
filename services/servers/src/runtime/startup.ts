const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/**
 * An egg's startup command as shell text: `{{VAR}}` becomes `${VAR}`. Values come from the environment when the shell
 * runs, one pass, so what a user typed into a variable is never read as shell. `[[ … ]]` is a shell test, may hold
 * braces of its own, and is passed over.
 */
export function toShell(startup: string): string {
  let shell = '';
  let at = 0;
  for (;;) {
    const open = startup.indexOf('[[', at);
    const close = open < 0 ? -1 : startup.indexOf(']]', open);
    if (close < 0) return shell + startup.slice(at).replace(placeholder, '${$1}');
    shell += startup.slice(at, open).replace(placeholder, '${$1}') + startup.slice(open, close + 2);
    at = close + 2;
  }
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
