import { type FieldMessages, fieldProblem } from '@panel/kit/errors';
import { isCommandLine, isOneLine } from '@panel/kit/text';
import type { ItemConfig } from './cart.js';

const maxVariables = 50;

/**
 * Problems by the rules of all servers: an order must be creatable. For the egg's rules see `variableProblems`.
 */
export function configProblems({ serverName, environment }: ItemConfig, prefix = 'config.'): FieldMessages {
  const problems: FieldMessages = {};
  const isBlank = serverName !== '' && serverName.trim() === '';
  if (isBlank || serverName.length > 191 || !isOneLine(serverName)) {
    problems[`${prefix}server_name`] = ['must be one line of at most 191 characters'];
  }
  const entries = Object.entries(environment);
  if (entries.length > maxVariables)
    problems[`${prefix}environment`] = [fieldProblem('too_long', `must be at most ${maxVariables} variables`)];
  for (const [name, value] of entries) {
    const isFine = /^[A-Za-z_]\w{0,190}$/.test(name) && value.length <= 4096 && isCommandLine(value);
    if (!isFine)
      problems[`${prefix}environment`] = ['holds a variable that is no variable, is too long, or is no line'];
  }
  return problems;
}
