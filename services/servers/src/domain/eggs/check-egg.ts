import { type FieldMessages, invalidFields, isAppError, fieldProblem, type FieldProblem } from '@panel/kit/errors';
import { isOneLine, parseImageReference } from '@panel/kit/text';
import { isStopGrace, maxStopGraceSeconds } from '../servers/run-settings.js';
import type { EggSpec, EggVariable } from './egg.js';
import { reservedVariables } from './egg.js';
import { parseConfigFiles } from './config-files.js';
import { validateDonePattern } from './done.js';
import { parseJsonTree } from './json-tree.js';
import { compileRules } from './rules.js';

const maxText = 64 * 1024;
const maxStartup = 32 * 1024;
const maxScript = 512 * 1024;
const maxName = 191;
const entrypointPattern = /^(?:\/|[A-Za-z0-9])[A-Za-z0-9._/-]{0,127}$/;
const envPattern = /^[A-Z_][A-Z0-9_]{0,190}$/;

class Problems {
  readonly fields: FieldMessages = {};

  add(field: string, problem: FieldProblem): void {
    (this.fields[field] ??= []).push(problem);
  }

  text(field: string, value: string, max: number, isRequired = false): void {
    if (isRequired && value.trim() === '') this.add(field, fieldProblem('required', 'is required'));
    if (value.length > max) this.add(field, fieldProblem('too_long', `must have at most ${max} characters`));
    if (value.includes('\0')) this.add(field, 'must not hold NUL characters');
  }

  name(field: string, value: string, max = maxName): void {
    this.text(field, value, max, true);
    if (!isOneLine(value)) this.add(field, 'must not hold control characters');
  }

  count(field: string, items: readonly unknown[], max: number): void {
    if (items.length > max) this.add(field, fieldProblem('too_long', `must have at most ${max} entries`));
  }

  image(field: string, image: string): void {
    if (!parseImageReference(image)) this.add(field, 'must be an image reference like ghcr.io/owner/image:tag');
  }

  parsed(field: string, parse: () => void): void {
    try {
      parse();
    } catch (error) {
      if (!isAppError(error, 'INVALID_DOCUMENT')) throw error;
      this.add(field, error.message);
    }
  }
}

/** `known` may be unusable: rules and ready texts that the egg has. Throws INVALID_FIELDS. */
export function checkEgg(egg: EggSpec, known: ReadonlySet<string> = new Set()): void {
  const problems = new Problems();
  problems.name('name', egg.name);
  problems.text('description', egg.description, maxText);
  problems.text('author', egg.author, maxName);
  problems.count('features', egg.features, 50);
  egg.features.forEach((feature, at) => problems.name(`features.${at}`, feature, 100));
  checkImages(egg, problems);
  problems.text('startup', egg.startup, maxStartup, true);
  checkCommands(egg, problems);
  checkConfig(egg, known, problems);
  checkScript(egg, problems);
  problems.count('file_denylist', egg.fileDenylist, 200);
  egg.fileDenylist.forEach((pattern, at) => problems.name(`file_denylist.${at}`, pattern, 512));
  checkVariables(egg.variables, known, problems);
  if (Object.keys(problems.fields).length > 0) throw invalidFields(problems.fields, 'the egg is not valid');
}

function checkImages({ dockerImages }: EggSpec, problems: Problems): void {
  if (dockerImages.length === 0) problems.add('docker_images', fieldProblem('too_short', 'needs at least one image'));
  problems.count('docker_images', dockerImages, 100);
  const labels = new Set(dockerImages.map(({ label }) => label));
  if (labels.size < dockerImages.length) problems.add('docker_images', 'has a label twice');
  for (const { label, image } of dockerImages) {
    problems.name('docker_images', label);
    problems.image(`docker_images.${label.slice(0, 50)}`, image);
  }
}

function checkCommands({ startupCommands }: EggSpec, problems: Problems): void {
  problems.count('startup_commands', startupCommands, 50);
  const labels = new Set(startupCommands.map(({ label }) => label));
  if (labels.size < startupCommands.length) problems.add('startup_commands', 'has a label twice');
  for (const { label, command } of startupCommands) {
    problems.name('startup_commands', label);
    problems.text(`startup_commands.${label.slice(0, 50)}`, command, maxStartup, true);
  }
}

function checkConfig({ config }: EggSpec, known: ReadonlySet<string>, problems: Problems): void {
  problems.text('config.files', config.filesJson, maxScript);
  problems.parsed('config.files', () => parseConfigFiles(config.filesJson));
  problems.text('config.logs', config.logsJson, maxText);
  problems.parsed('config.logs', () => parseJsonTree(config.logsJson || '{}'));
  problems.text('config.stop', config.stop, 1024);
  if (!isStopGrace(config.stopGraceSeconds ?? null))
    problems.add('config.stop_grace', fieldProblem('out_of_range', `must be from 1 to ${maxStopGraceSeconds} seconds`));
  if (/[\r\n]/.test(config.stop)) problems.add('config.stop', 'must be one line');
  problems.count('config.startup', config.startupDone, 20);
  for (const part of config.startupDone) {
    problems.text('config.startup', part, 1024);
    const why = validateDonePattern(part);
    if (why !== null && !known.has(part)) problems.add('config.startup', `${part.slice(0, 100)}: ${why}`);
  }
}

function checkScript({ script }: EggSpec, problems: Problems): void {
  problems.text('script.install', script.install, maxScript);
  if (script.install.trim() === '') return;
  problems.image('script.container', script.container);
  if (!entrypointPattern.test(script.entrypoint)) {
    problems.add('script.entrypoint', 'must be the name of an interpreter, like bash');
  }
}

/** Rules and ready texts. */
export function expressionsOf({ variables, config }: EggSpec): ReadonlySet<string> {
  return new Set([...variables.flatMap(({ rules }) => rules), ...config.startupDone]);
}

function checkVariables(variables: readonly EggVariable[], known: ReadonlySet<string>, problems: Problems): void {
  problems.count('variables', variables, 100);
  const seen = new Set<string>();
  variables.forEach((variable, at) => {
    const field = `variables.${at}`;
    problems.name(`${field}.name`, variable.name);
    problems.text(`${field}.description`, variable.description, maxText);
    problems.text(`${field}.default_value`, variable.defaultValue, maxText);
    checkVariableName(`${field}.env_variable`, variable.envVariable, seen, problems);
    problems.count(`${field}.rules`, variable.rules, 50);
    for (const rule of variable.rules) problems.text(`${field}.rules`, rule, 8192);
    for (const { rule, problem } of compileRules(variable.rules).broken)
      if (!known.has(rule)) problems.add(`${field}.rules`, problem);
  });
}

function checkVariableName(field: string, name: string, seen: Set<string>, problems: Problems): void {
  if (!envPattern.test(name)) problems.add(field, 'must be made of capital letters, digits and _');
  if (reservedVariables.has(name)) problems.add(field, `${name} is set by the panel itself`);
  if (seen.has(name)) problems.add(field, `${name} is there twice`);
  seen.add(name);
}
