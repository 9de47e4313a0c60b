import { type Handler, requirePermission } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { EggServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { EggSpec } from '../../domain/eggs/egg.js';
import { checkEgg } from '../../domain/eggs/check-egg.js';
import { presentEgg, readEggSpec } from '../../present/egg.js';
import { fail } from '../../reasons.js';

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

export function updateEgg({ stores, clock }: ServersContext): Handler<EggServiceService['updateEgg']> {
  return async (request, { actor }) => {
    requirePermission(actor, 'eggs.update');
    const { eggId, nestId } = request;
    const egg = await stores.eggs.get(eggId);
    if (!egg) throw fail('EGG_NOT_FOUND', 'no such egg', { egg_id: eggId });
    if (nestId !== '' && !(await stores.nests.get(nestId)))
      throw fail('NEST_NOT_FOUND', 'no such nest', { nest_id: nestId });
    const spec = request.spec ? pick(readEggSpec(request.spec), request.updateFields) : {};
    checkEgg({ ...egg.spec, ...spec });
    const updated = await stores.eggs.update(eggId, { spec, ...(nestId === '' ? {} : { nestId }) }, clock());
    if (!updated) throw fail('EGG_NOT_FOUND', 'no such egg', { egg_id: eggId });
    return { egg: presentEgg(updated) };
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
