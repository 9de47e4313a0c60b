import type { Key } from '../../i18n/i18n.js';
import { type DraftVariable, type EggDraft, linesOf, pairsOf, splitRules } from './egg-draft.js';

/** A draft's problems by API field: text key and value. */
type DraftProblems = Readonly<Record<string, { readonly key: Key; readonly value: string }>>;

/** Warnings only: the panel accepts them. */
const warnings: ReadonlySet<Key> = new Set<Key>(['egg.unknown-rule', 'egg.unknown-variable']);

export function isSavable(problems: DraftProblems): boolean {
  return Object.values(problems).every(({ key }) => warnings.has(key));
}

const envPattern = /^[A-Z_][A-Z0-9_]{0,190}$/;
const imagePattern = /^[a-z0-9][a-z0-9._/:@-]*$/i;
const entrypointPattern = /^(?:\/|[A-Za-z0-9])[A-Za-z0-9._/-]{0,127}$/;
/** Rules without a value, and rules with one, as in the panel. */
const plainRules =
  /^(required|filled|present|nullable|sometimes|bail|string|bool(ean)?|int(eger)?|numeric|alpha(_num|_dash)?|lowercase|uppercase|url|ip(v4|v6)?|email|uuid)$/;
const valueRules =
  /^(min|max|size|gte?|lte?|between|digits(_between)?|in|not_in|starts_with|ends_with|regex|not_regex)$/;
const panelVariables = new Set([
  'SERVER_MEMORY',
  'SERVER_IP',
  'SERVER_PORT',
  'SERVER_UUID',
  'P_SERVER_UUID',
  'TZ',
  'STARTUP',
]);

/** The panel checks the rest on save. */
export function checkEgg(draft: EggDraft): DraftProblems {
  const problems: Record<string, { key: Key; value: string }> = {};
  const add = (field: string, key: Key, value = ''): void => {
    problems[field] ??= { key, value };
  };
  if (draft.name.trim() === '') add('name', 'egg.required');
  if (draft.startup.trim() === '') add('startup', 'egg.required');
  const images = pairsOf(draft.images);
  if (images.length === 0) add('docker_images', 'egg.required');
  const wrongImage = images.find(([, image]) => !imagePattern.test(image));
  if (wrongImage) add('docker_images', 'egg.wrong-image', wrongImage[1]);
  const twice = repeated(images.map(([label]) => label)) ?? null;
  if (twice !== null) add('docker_images', 'egg.twice', twice);
  const command = repeated(pairsOf(draft.commands).map(([label]) => label));
  if (command !== undefined) add('startup_commands', 'egg.twice', command);
  if (/[\r\n]/.test(draft.stop)) add('config.stop', 'egg.one-line');
  const json = jsonProblem(draft.configFiles);
  if (json !== null) add('config.files', 'egg.wrong-json', json);
  const done = linesOf(draft.done).find((line) => line.startsWith('regex:') && !isExpression(line.slice(6)));
  if (done !== undefined) add('config.startup', 'egg.wrong-expression', done);
  if (draft.install.trim() !== '') {
    if (!imagePattern.test(draft.container.trim())) add('script.container', 'egg.wrong-image', draft.container);
    if (!entrypointPattern.test(draft.entrypoint.trim())) add('script.entrypoint', 'egg.wrong-entrypoint');
  }
  const names = draft.variables.map(({ env_variable }) => env_variable);
  draft.variables.forEach((variable, index) => {
    checkVariable(variable, names, (field, key, value) => add(`variables.${index}.${field}`, key, value));
  });
  const known = new Set([...panelVariables, ...names]);
  const unknown = [...draft.startup.matchAll(/\{\{\s*([A-Za-z0-9_.]+)\s*\}\}/g)]
    .map(([, name = '']) => name)
    .find((name) => !name.includes('.') && !known.has(name));
  if (unknown !== undefined) add('startup', 'egg.unknown-variable', unknown);
  return problems;
}

type Add = (field: string, key: Key, value?: string) => void;

function checkVariable(variable: DraftVariable, names: readonly string[], add: Add): void {
  const { name, env_variable, rules, default_value } = variable;
  if (name.trim() === '') add('name', 'egg.required');
  if (!envPattern.test(env_variable)) add('env_variable', 'egg.wrong-env');
  else if (names.filter((one) => one === env_variable).length > 1) add('env_variable', 'egg.twice', env_variable);
  const list = splitRules(rules);
  for (const rule of list) {
    const [head = '', ...rest] = rule.split(':');
    const value = rest.join(':');
    if (!plainRules.test(head) && !valueRules.test(head)) add('rules', 'egg.unknown-rule', head);
    else if (valueRules.test(head) && value === '') add('rules', 'egg.rule-value', head);
    else if (head === 'regex' && !isExpression(value.replace(/^(.)(.*)\1[a-z]*$/su, '$2'))) {
      add('rules', 'egg.wrong-expression', value);
    }
  }
  const choices = list
    .find((rule) => rule.startsWith('in:'))
    ?.slice(3)
    .split(',');
  if (choices && default_value !== '' && !choices.includes(default_value)) {
    add('default_value', 'egg.default-not-allowed', choices.join(', '));
  }
  const isInteger = list.some((rule) => rule === 'integer' || rule === 'int');
  if (isInteger && default_value !== '' && !/^[+-]?\d+$/.test(default_value)) {
    add('default_value', 'egg.default-no-integer');
  }
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function jsonProblem(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : '{}';
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

function repeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
