import { invalidFields } from '@panel/kit/errors';
import type { CreateVolumeRequest } from '@panel/protos/files';
import { isDiskLimit } from '../../domain/disk-project.js';
import { readServerId } from '../read-ids.js';

/** Throws INVALID_FIELDS. */
export function readVolumeRequest({ serverId, diskLimitBytes }: CreateVolumeRequest): CreateVolumeRequest {
  if (diskLimitBytes !== undefined && !isDiskLimit(diskLimitBytes)) {
    throw invalidFields({ disk_limit_bytes: ['must be a size'] });
  }
  return { serverId: readServerId(serverId), diskLimitBytes };
}
