import type { EggSnapshot } from '../servers/server.js';

interface EggState {
  readonly dockerImage: string;
  readonly startup: string;
  readonly egg: EggSnapshot;
}

export interface EggDifference {
  /** API name. */
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

const maxText = 1_000;

/** Most important first. */
const parts: readonly (readonly [field: string, of: (state: EggState) => unknown])[] = [
  ['startup', ({ startup }) => startup],
  ['docker_image', ({ dockerImage }) => dockerImage],
  ['startup_commands', ({ egg }) => egg.startupCommands.map(({ label, command }) => ({ label, command }))],
  ['docker_images', ({ egg }) => egg.dockerImages.map(({ label, image }) => ({ label, image }))],
  ['config.files', ({ egg }) => egg.config.filesJson],
  ['config.startup', ({ egg }) => ({ done: egg.config.startupDone, strip_ansi: egg.config.startupStripAnsi })],
  ['config.logs', ({ egg }) => egg.config.logsJson],
  ['config.stop', ({ egg }) => egg.config.stop],
  ['config.stop_grace', ({ egg }) => egg.config.stopGraceSeconds ?? null],
  ['variables', ({ egg }) => egg.variables.map(variableFacts)],
  ['file_denylist', ({ egg }) => egg.fileDenylist],
  ['features', ({ egg }) => egg.features],
  ['force_outgoing_ip', ({ egg }) => egg.forceOutgoingIp],
  ['script', ({ egg: { script } }) => [script.install, script.container, script.entrypoint]],
  ['name', ({ egg }) => egg.name],
];

export function eggDifferences(before: EggState, after: EggState): EggDifference[] {
  return parts.flatMap(([field, of]) => {
    const [old, next] = [textOf(of(before)), textOf(of(after))];
    return old === next ? [] : [{ field, before: old.slice(0, maxText), after: next.slice(0, maxText) }];
  });
}

function variableFacts(variable: EggSnapshot['variables'][number]) {
  const { name, description, envVariable, defaultValue, userViewable, userEditable, rules } = variable;
  return [envVariable, name, description, defaultValue, userViewable, userEditable, [...rules]];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
