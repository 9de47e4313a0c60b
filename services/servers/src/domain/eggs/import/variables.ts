import { type EggVariable, reservedVariables } from '../egg.js';
import { isList, isMap, itemsOf, type Tree } from '../json-tree.js';
import { compileRules, splitRules } from '../rules.js';
import type { EggReader } from './reader.js';

export function readVariables(value: Tree | undefined, reader: EggReader) {
  const renamed = new Map<string, string>();
  const entries = reader.list('variables', value).map((entry, at) => {
    const fields = reader.map(`variables.${at}`, entry);
    const sort = fields.get('sort');
    return { order: typeof sort === 'number' ? sort : at, variable: readVariable(fields, at, renamed, reader) };
  });
  const isSorted = (itemsOf(value) ?? []).every((entry) => isMap(entry) && typeof entry.get('sort') === 'number');
  if (isSorted) entries.sort((a, b) => a.order - b.order);
  const variables = entries.map(({ variable }) => variable);
  const last = new Map(variables.map((variable) => [variable.envVariable, variable]));
  const isRetained = (variable: EggVariable) => last.get(variable.envVariable) === variable;
  for (const name of new Set(variables.filter((one) => !isRetained(one)).map(({ envVariable }) => envVariable)))
    reader.warn(`the variable ${name} is there more than once: the last one counts`);
  return { variables: variables.filter(isRetained), renamed };
}

/** The last duplicate wins. */
export function variableSections(
  value: Tree | undefined,
  renamed: ReadonlyMap<string, string>,
): ReadonlyMap<string, ReadonlyMap<string, Tree>> {
  const sections = (itemsOf(value) ?? []).filter(isMap).map((fields) => {
    const given = fields.get('env_variable');
    const name = (typeof given === 'string' ? given : '').trim().toUpperCase();
    return [renamed.get(name) ?? name, fields] as const;
  });
  return new Map(sections);
}

function readVariable(
  fields: ReadonlyMap<string, Tree>,
  at: number,
  renamed: Map<string, string>,
  reader: EggReader,
): EggVariable {
  const field = `variables.${at}`;
  const given = reader.text(`${field}.env_variable`, fields.get('env_variable')).trim();
  const envVariable = readName(given, renamed, reader);
  const rules = readRules(`${field}.rules`, fields.get('rules'), reader);
  const { unknown, broken } = compileRules(rules);
  for (const name of unknown) {
    reader.warn(`${envVariable}: the rule ${JSON.stringify(name.slice(0, 50))} is not known and has no effect`);
  }
  for (const { rule, problem } of broken) {
    reader.warn(`${envVariable}: the rule ${JSON.stringify(rule.slice(0, 100))} has no effect: ${problem}`);
  }
  return {
    name: reader.text(`${field}.name`, fields.get('name'), envVariable).trim(),
    description: reader.text(`${field}.description`, fields.get('description')),
    envVariable,
    ...(given !== envVariable && given.toUpperCase() === envVariable ? { givenName: given } : {}),
    defaultValue: reader.text(`${field}.default_value`, fields.get('default_value')),
    userViewable: reader.flag(fields.get('user_viewable')),
    userEditable: reader.flag(fields.get('user_editable')),
    rules,
  };
}

function readName(given: string, renamed: Map<string, string>, reader: EggReader): string {
  const name = given.toUpperCase();
  if (!reservedVariables.has(name)) return name;
  const free = `SERVER_${name}`.replace(/^SERVER_SERVER_/, 'EGG_SERVER_');
  renamed.set(name, free);
  reader.warn(`the variable ${name} is set by the panel itself and was renamed to ${free}`);
  return free;
}

function readRules(field: string, value: Tree | undefined, reader: EggReader): string[] {
  const isNumbered = isMap(value) && value.size > 0 && [...value.keys()].every((key) => /^\d+$/.test(key));
  if (isList(value) || isNumbered) {
    const rules = itemsOf(value) ?? [];
    return rules.map((rule) => (isMap(rule) ? '' : reader.text(field, rule).trim())).filter((rule) => rule !== '');
  }
  // A few public eggs have an object here; its meaning is unknown.
  if (isMap(value)) {
    reader.warn(`${field} are not readable and were left out`);
    return [];
  }
  return splitRules(reader.text(field, value));
}
