import {
  type ApplyEggResponse,
  type Egg,
  EggSpec,
  type ImportEggResponse,
  type Nest,
  UpdateEggRequest,
} from '@panel/protos/servers';
import type { z } from 'zod';
import { enumWord, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import type { appliedEgg, createEggBody, egg, importedEgg, nest, updateEggBody } from './schema.js';

type PresentedEgg = z.input<typeof egg>;

export function presentNest(message: Nest | undefined): z.input<typeof nest> {
  const found = required(message, 'nest');
  return {
    id: found.id,
    name: found.name,
    description: found.description,
    author: found.author,
    eggs_count: found.eggsCount,
    created_at: isoTimeOf(found.createTime),
    updated_at: isoTimeOf(found.updateTime),
  };
}

export function presentEgg(message: Egg | undefined): PresentedEgg {
  const found = required(message, 'egg');
  const spec = required(found.spec, 'egg spec');
  return {
    id: found.id,
    nest_id: found.nestId,
    uuid: found.uuid,
    name: spec.name,
    description: spec.description,
    author: spec.author,
    features: spec.features,
    docker_image: spec.dockerImages[0]?.image ?? '',
    docker_images: Object.fromEntries(spec.dockerImages.map(({ label, image }) => [label, image])),
    startup: spec.startup,
    startup_commands: Object.fromEntries(spec.startupCommands.map(({ label, command }) => [label, command])),
    config: presentConfig(spec),
    script: {
      install: spec.script?.install ?? '',
      container: spec.script?.container ?? '',
      entrypoint: spec.script?.entrypoint ?? '',
    },
    file_denylist: spec.fileDenylist,
    force_outgoing_ip: spec.forceOutgoingIp,
    variables: spec.variables.map(presentVariable),
    extras: objectOf(spec.extrasJson),
    created_at: isoTimeOf(found.createTime),
    updated_at: isoTimeOf(found.updateTime),
  };
}

function presentConfig({ config }: EggSpec): PresentedEgg['config'] {
  return {
    files: objectOf(config?.filesJson),
    startup: { done: config?.startupDone ?? [], strip_ansi: config?.startupStripAnsi ?? false },
    logs: objectOf(config?.logsJson),
    stop: config?.stop ?? '',
    stop_grace: config?.stopGraceSeconds || null,
  };
}

function objectOf(json: string | undefined): Record<string, unknown> {
  if (json === undefined || json === '') return {};
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function presentVariable(variable: EggSpec['variables'][number]): PresentedEgg['variables'][number] {
  return {
    name: variable.name,
    description: variable.description,
    env_variable: variable.envVariable,
    default_value: variable.defaultValue,
    user_viewable: variable.userViewable,
    user_editable: variable.userEditable,
    rules: variable.rules,
  };
}

export function presentImportedEgg(answer: ImportEggResponse): z.input<typeof importedEgg> {
  return { ...presentEgg(answer.egg), warnings: answer.warnings };
}

export function presentAppliedEgg({ servers, nextServerId }: ApplyEggResponse): z.input<typeof appliedEgg> {
  return {
    servers: servers.map(({ serverId, name, outcome, differences }) => ({
      id: serverId,
      name,
      outcome: enumWord(outcome, 'OUTCOME_') as z.input<typeof appliedEgg>['servers'][number]['outcome'],
      differences: differences.map(({ field, before, after }) => ({ field, before, after })),
    })),
    next_server_id: textOrNull(nextServerId),
  };
}

type EggFields = Omit<z.output<typeof updateEggBody>, 'nest_id'>;

/** The spec with the fields that are given; the others have no meaning. */
export function eggSpec(body: EggFields): EggSpec {
  return EggSpec.create({
    name: body.name,
    description: body.description,
    author: body.author,
    features: body.features,
    dockerImages: imagesOf(body),
    startup: body.startup,
    startupCommands: Object.entries(body.startup_commands ?? {}).map(([label, command]) => ({ label, command })),
    config: body.config && {
      filesJson: JSON.stringify(body.config.files),
      startupDone: body.config.startup.done,
      startupStripAnsi: body.config.startup.strip_ansi,
      logsJson: JSON.stringify(body.config.logs),
      stop: body.config.stop,
      stopGraceSeconds: body.config.stop_grace ?? 0,
    },
    script: body.script,
    fileDenylist: body.file_denylist,
    forceOutgoingIp: body.force_outgoing_ip,
    variables: body.variables?.map(variableMessage),
  });
}

/** The default first. */
function imagesOf({ docker_image: chosen, docker_images: images = {} }: EggFields): { label: string; image: string }[] {
  const all = Object.entries(images).map(([label, image]) => ({ label, image }));
  const at = all.findIndex(({ image }) => image === chosen);
  return at > 0 ? [...all.splice(at, 1), ...all] : all;
}

function variableMessage(variable: z.output<typeof createEggBody>['variables'][number]) {
  return {
    name: variable.name,
    description: variable.description,
    envVariable: variable.env_variable,
    defaultValue: variable.default_value,
    userViewable: variable.user_viewable,
    userEditable: variable.user_editable,
    rules: variable.rules,
  };
}

export function updateEggRequest(eggId: string, body: z.output<typeof updateEggBody>): UpdateEggRequest {
  const { nest_id: nestId, ...fields } = body;
  // The default image is a matter of the order of the images.
  const updateFields = Object.keys(fields).filter((name) => name !== 'docker_image');
  return UpdateEggRequest.create({ eggId, nestId, spec: eggSpec(fields), updateFields });
}
