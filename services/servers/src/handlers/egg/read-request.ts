import { invalidFields, fieldProblem } from '@panel/kit/errors';
import {
  type CreateEggRequest,
  EggSpec as EggSpecMessage,
  type ImportEggRequest,
  ImportEggRequest_Format,
  type UpdateEggRequest,
} from '@panel/protos/servers';
import type { EggSpec } from '../../domain/eggs/egg.js';
import { splitRules } from '../../domain/eggs/rules.js';
import type { EggFile } from '../../usecases/eggs/import-egg.js';

/** Wire names to domain names. */
const updatable: Readonly<Record<string, keyof EggSpec>> = {
  name: 'name',
  description: 'description',
  author: 'author',
  features: 'features',
  docker_images: 'dockerImages',
  startup: 'startup',
  startup_commands: 'startupCommands',
  config: 'config',
  script: 'script',
  file_denylist: 'fileDenylist',
  force_outgoing_ip: 'forceOutgoingIp',
  variables: 'variables',
};

/** Throws INVALID_FIELDS. */
export function readNewEgg({ nestId, spec }: CreateEggRequest): { readonly nestId: string; readonly spec: EggSpec } {
  if (nestId === '') throw invalidFields({ nest_id: [fieldProblem('required', 'is required')] });
  return { nestId, spec: readEggSpec(spec ?? EggSpecMessage.create()) };
}

/** Applies defaults; unchecked. */
function readEggSpec(message: EggSpecMessage): EggSpec {
  const { config, script } = message;
  return {
    name: message.name.trim(),
    description: message.description,
    author: message.author,
    features: message.features,
    dockerImages: message.dockerImages,
    startup: message.startup || (message.startupCommands[0]?.command ?? ''),
    startupCommands: message.startupCommands,
    config: {
      filesJson: config?.filesJson || '{}',
      startupDone: (config?.startupDone ?? []).filter((part) => part !== ''),
      startupStripAnsi: config?.startupStripAnsi ?? false,
      logsJson: config?.logsJson || '{}',
      stop: (config?.stop ?? '').trim(),
      stopGraceSeconds: config?.stopGraceSeconds || null,
    },
    script: {
      install: script?.install ?? '',
      container: script?.container ?? '',
      entrypoint: script?.entrypoint || 'bash',
    },
    fileDenylist: message.fileDenylist,
    forceOutgoingIp: message.forceOutgoingIp,
    extrasJson: '',
    variables: message.variables.map((variable) => ({
      ...variable,
      name: variable.name || variable.envVariable,
      rules: variable.rules.length === 1 ? variable.rules.flatMap(splitRules) : variable.rules,
    })),
  };
}

/** Throws INVALID_FIELDS for an unknown field. */
export function readEggUpdate({ spec, updateFields }: UpdateEggRequest): Partial<EggSpec> {
  return spec ? pick(readEggSpec(spec), updateFields) : {};
}

function pick(spec: EggSpec, names: readonly string[]): Partial<EggSpec> {
  const entries = names.map((name) => {
    const field = Object.hasOwn(updatable, name) ? updatable[name] : undefined;
    if (field === undefined)
      throw invalidFields({ [name.slice(0, 100)]: [fieldProblem('unknown_field', 'is not a field of an egg')] });
    return [field, spec[field]] as const;
  });
  return Object.fromEntries(entries);
}

export function readImport({ content, format, nestId, eggId }: ImportEggRequest): EggFile {
  return { content, format: format === ImportEggRequest_Format.YAML ? 'yaml' : 'json', nestId, eggId };
}
