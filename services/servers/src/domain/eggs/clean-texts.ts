import type { EggSpec, EggVariable } from './egg.js';

const byteOrderMark = '\ufeff';
const expressionPrefix = 'regex:';

/**
 * Files from Windows: a CR would end up in the last argument of a command, in a value and in the ready text, which no line
 * holds; a byte order mark hides a script's first line. Idempotent.
 */
export function withCleanTexts<T extends Partial<EggSpec>>(spec: T): T {
  const { startup, startupCommands, config, script, variables } = spec;
  return {
    ...spec,
    ...(startup !== undefined && { startup: withLineFeeds(startup) }),
    ...(startupCommands && {
      startupCommands: startupCommands.map((one) => ({ ...one, command: withLineFeeds(one.command) })),
    }),
    ...(config && { config: { ...config, startupDone: config.startupDone.flatMap(readyTexts) } }),
    ...(script && { script: { ...script, install: withoutMark(script.install) } }),
    ...(variables && { variables: variables.map(cleanVariable) }),
  };
}

export function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

function cleanVariable(variable: EggVariable): EggVariable {
  return { ...variable, defaultValue: withLineFeeds(variable.defaultValue) };
}

function withLineFeeds(text: string): string {
  return linesOf(text).join('\n');
}

/** Output is compared by line. */
function readyTexts(part: string): string[] {
  return part.startsWith(expressionPrefix) ? [withLineFeeds(part)] : linesOf(part).filter((line) => line !== '');
}

/** Without empty first and last ones. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r\n?|\n/);
  const isFilled = (line: string) => line !== '';
  return lines.slice(Math.max(0, lines.findIndex(isFilled)), lines.findLastIndex(isFilled) + 1);
}
