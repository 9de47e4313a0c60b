import { invalidFields, fieldProblem } from '@panel/kit/errors';
import {
  type CreateNodeRequest,
  type Engine as EngineMessage,
  Node_Runtime,
  type UpdateNodeRequest,
} from '@panel/protos/servers';
import { definedFields } from '../../defined-fields.js';
import type { Engine, NodeFields, RuntimeKind } from '../../domain/nodes/node.js';

const defaultUploadMb = 1024;

/** Throws INVALID_FIELDS without a runtime. */
export function readNewNode(request: CreateNodeRequest): NodeFields {
  const runtime = readRuntime(request.runtime);
  if (!runtime) throw invalidFields({ runtime: [fieldProblem('not_allowed', 'must be docker or process')] });
  return {
    name: request.name.trim(),
    description: request.description,
    fqdn: request.fqdn,
    tags: request.tags,
    runtime,
    engine: readEngine(request.engine),
    filesAddress: request.filesAddress,
    dataRoot: request.dataRoot,
    dataRootId: request.dataRootId,
    memoryMb: request.memoryMb,
    memoryOverallocatePercent: request.memoryOverallocatePercent,
    diskMb: request.diskMb,
    diskOverallocatePercent: request.diskOverallocatePercent,
    cpuPercent: request.cpuPercent,
    maintenanceMode: request.maintenanceMode,
    uploadLimitMb: request.uploadLimitMb || defaultUploadMb,
    publicUrl: request.publicUrl,
    emulatedPlatforms: request.emulatedPlatforms,
  };
}

export function readNodeUpdate(request: UpdateNodeRequest): Partial<NodeFields> {
  return definedFields({
    name: request.name?.trim(),
    description: request.description,
    fqdn: request.fqdn,
    tags: request.tags?.tags,
    engine: request.engine && readEngine(request.engine),
    filesAddress: request.filesAddress,
    dataRoot: request.dataRoot,
    dataRootId: request.dataRootId,
    memoryMb: request.memoryMb,
    memoryOverallocatePercent: request.memoryOverallocatePercent,
    diskMb: request.diskMb,
    diskOverallocatePercent: request.diskOverallocatePercent,
    cpuPercent: request.cpuPercent,
    maintenanceMode: request.maintenanceMode,
    uploadLimitMb: request.uploadLimitMb,
    publicUrl: request.publicUrl,
    emulatedPlatforms: request.emulatedPlatforms?.platforms,
  });
}

/** Null: unspecified. */
function readRuntime(runtime: Node_Runtime): RuntimeKind | null {
  if (runtime === Node_Runtime.DOCKER) return 'docker';
  return runtime === Node_Runtime.PROCESS ? 'process' : null;
}

function readEngine(engine: EngineMessage | undefined): Engine {
  return {
    url: engine?.url ?? '',
    tlsCa: engine?.tlsCa ?? '',
    tlsCert: engine?.tlsCert ?? '',
    tlsKey: engine?.tlsKey ?? '',
  };
}
