import { type Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit/errors';
import type { EggServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { EggSpec } from '../../domain/eggs/egg.js';
import { presentEgg, readEggSpec } from '../../present/egg.js';
import { updateEgg as update } from '../../usecases/eggs/update-egg.js';

/** Names on the wire to names here. */
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

export function updateEgg(context: ServersContext): Handler<EggServiceService['updateEgg']> {
  return async (request) => {
    const { eggId, nestId } = request;
    const spec = request.spec ? pick(readEggSpec(request.spec), request.updateFields) : {};
    return { egg: presentEgg(await update(context, eggId, { nestId, spec })) };
  };
}

function pick(spec: EggSpec, names: readonly string[]): Partial<EggSpec> {
  const entries = names.map((name) => {
    const field = Object.hasOwn(updatable, name) ? updatable[name] : undefined;
    if (field === undefined) throw invalidFields({ [name.slice(0, 100)]: ['is not a field of an egg'] });
    return [field, spec[field]] as const;
  });
  return Object.fromEntries(entries);
}
