import { type Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit/errors';
import { type EggServiceService, EggSpec } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentEgg, readEggSpec } from '../../present/egg.js';
import { createEgg as create } from '../../usecases/eggs/create-egg.js';

export function createEgg(context: ServersContext): Handler<EggServiceService['createEgg']> {
  return async (request, { idempotencyId }) => {
    const { nestId } = request;
    if (nestId === '') throw invalidFields({ nest_id: ['is required'] });
    const spec = readEggSpec(request.spec ?? EggSpec.create());
    return { egg: presentEgg(await create(context, { nestId, spec }, idempotencyId)) };
  };
}
