import { UpdateServerRequest } from '@panel/protos/servers';
import { z } from 'zod';
import { singleLine } from '../../declaration/text.js';
import { runSettingsRequest } from './present.js';
import { adminServer, serverFields } from './schema.js';

/** Any field of creation but where the server is; another egg only together with `reinstall`. */
export const updateServerBody = z.strictObject({
  ...z.strictObject(serverFields).partial().shape,
  external_id: serverFields.external_id.nullish(),
  startup: z
    .union([singleLine(4096), z.literal('')])
    .nullish()
    .describe("null or empty: the egg's"),
  allocation_id: z.uuid('must be a UUID').optional().describe('the primary one'),
  add_allocation_ids: serverFields.additional_allocation_ids.optional(),
  remove_allocation_ids: serverFields.additional_allocation_ids.optional(),
  egg_id: serverFields.egg_id.optional().describe('only together with reinstall'),
  reinstall: z.boolean().default(false),
  skip_scripts: z.boolean().default(false),
});

export const updatedServer = adminServer
  .extend({
    restart_needed: z.boolean().describe('the running game keeps some of its old settings until it is started anew'),
  })
  .meta({ id: 'UpdatedServer' });

export function updateServerRequest(serverId: string, body: z.output<typeof updateServerBody>): UpdateServerRequest {
  return UpdateServerRequest.create({
    serverId,
    name: body.name,
    description: body.description,
    userId: body.user_id,
    externalId: body.external_id === null ? '' : body.external_id,
    limits: {
      memoryMb: body.memory,
      swapMb: body.swap,
      diskMb: body.disk,
      ioWeight: body.io,
      cpuPercent: body.cpu,
    },
    featureLimits: {
      databases: body.databases_limit,
      backups: body.backups_limit,
      allocations: body.allocations_limit,
    },
    dockerImage: body.docker_image,
    startup: body.startup === null ? '' : body.startup,
    environment: body.environment,
    allocationId: body.allocation_id,
    addAllocationIds: [...(body.add_allocation_ids ?? []), ...(body.additional_allocation_ids ?? [])],
    removeAllocationIds: body.remove_allocation_ids,
    eggId: body.egg_id,
    reinstall: body.reinstall,
    skipScripts: body.skip_scripts,
    runSettings: runSettingsRequest(body),
  });
}
