import { invalidFields } from '@panel/kit/errors';
import type { Handler } from '@panel/rpc';
import { powerPermissions, type ServerPermission } from '@panel/protos/permissions';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { type FeatureName, featureNames } from '../../domain/eggs/features.js';
import { requireAccess } from '../../domain/servers/access.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { resolveFeature as resolve } from '../../usecases/servers/resolve-feature.js';
import { showServer } from './show-server.js';

/** What one may do anyway who agrees to it. */
const permissions: Readonly<Record<FeatureName, ServerPermission>> = {
  eula: 'file.create',
  java_version: 'startup.docker-image',
  gsl_token: 'startup.update',
  steam_disk_space: 'control.restart',
  pid_limit: 'control.restart',
};

export function resolveFeature(context: ServersContext): Handler<ServerServiceService['resolveFeature']> {
  return async (request, call) => {
    const { server } = await loadServer(context, request.serverId, call);
    const feature = featureNames.find((name) => name === request.feature);
    if (!feature) throw invalidFields({ feature: [`must be one of ${featureNames.join(', ')}`] });
    requireAccess(server, call, permissions[feature]);
    if (request.restart) requireAccess(server, call, powerPermissions.restart);
    const { server: updated, isRestarting } = await resolve(context, server, {
      feature,
      dockerImage: request.dockerImage || null,
      javaVersion: request.javaVersion || null,
      token: request.token || null,
      isRestarted: request.restart,
    });
    return { server: await showServer(context, updated, call.actor, false), isRestarting };
  };
}
