import { assertNever, invalidFields, isAppError, fieldProblem } from '@panel/kit/errors';
import { ConfigFile, ConfigFile_Parser } from '@panel/protos/files';
import { powerPermissions, type ServerPermission } from '@panel/protos/permissions';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { type FeatureName, featureNames, imageForJava, tokenVariable } from '../../domain/eggs/features.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { requirePermission } from '../../domain/servers/access.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { requestPowerAction } from '../power/send-power-action.js';
import { loadServer, nodeOf } from './load-server.js';
import { setStartup } from './update-startup.js';
import { viewServer, type VisibleServer } from './view-server.js';

export interface FeatureRequest {
  readonly feature: string;
  /** `java_version`: an image of the egg; null: the match for `javaVersion`. */
  readonly dockerImage: string | null;
  readonly javaVersion: number | null;
  /** For `gsl_token`. */
  readonly token: string | null;
  readonly isRestarted: boolean;
}

type FeatureAnswer = FeatureRequest & { readonly feature: FeatureName };

type ResolveDeps = Pick<ServersContext, 'stores' | 'power' | 'runtimes' | 'clock' | 'files'>;

/** Permissions for the equivalent manual change. */
const permissions: Readonly<Record<FeatureName, ServerPermission>> = {
  eula: 'file.create',
  java_version: 'startup.docker-image',
  gsl_token: 'startup.update',
  steam_disk_space: 'control.restart',
  pid_limit: 'control.restart',
};

/**
 * Applies a user's consent to a feature request (EULA, other image, other token), then restarts on request. Returns the
 * server and whether it starts. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, FEATURE_NOT_OFFERED, INVALID_FIELDS,
 * SERVER_LOCKED, SERVER_SUSPENDED, FEATURE_FAILED, SERVICE_UNAVAILABLE.
 */
export async function resolveFeature(
  context: ResolveDeps & Pick<ServersContext, 'timezone'>,
  serverId: string,
  request: FeatureRequest,
  caller: Caller,
): Promise<{ server: VisibleServer; isRestarting: boolean }> {
  const { server, access } = await loadServer(context, serverId, caller);
  const feature = featureNames.find((name) => name === request.feature);
  if (!feature)
    throw invalidFields({ feature: [fieldProblem('not_allowed', `must be one of ${featureNames.join(', ')}`)] });
  requirePermission(access, permissions[feature]);
  if (request.isRestarted) requirePermission(access, powerPermissions.restart);
  const { server: updated, isRestarting } = await resolve(context, server, { ...request, feature });
  return { server: await viewServer(context, updated, caller.actor, false), isRestarting };
}

async function resolve(
  deps: ResolveDeps,
  server: GameServer,
  answer: FeatureAnswer,
): Promise<{ server: GameServer; isRestarting: boolean }> {
  if (!server.egg.features.includes(answer.feature))
    throw fail('FEATURE_NOT_OFFERED', 'the egg of this server does not have this feature', { feature: answer.feature });
  checkUnlocked(server);
  const updated = await apply(deps, server, answer);
  const { id, power } = server;
  const resolved = (await deps.stores.servers.power.resolveFeature(id, power.generation, answer.feature)) ?? updated;
  return { server: resolved, isRestarting: answer.isRestarted && (await restart(deps, resolved)) };
}

async function apply(deps: ResolveDeps, server: GameServer, answer: FeatureAnswer): Promise<GameServer> {
  switch (answer.feature) {
    case 'eula':
      await agreeToEula(deps, server);
      return server;
    case 'java_version':
      return chooseImage(deps, server, answer);
    case 'gsl_token':
      return setToken(deps, server, answer);
    // Only staff can raise these limits.
    case 'steam_disk_space':
    case 'pid_limit':
      return server;
    default:
      return assertNever(answer.feature);
  }
}

async function agreeToEula(deps: ResolveDeps, server: GameServer): Promise<void> {
  const file = ConfigFile.create({
    path: 'eula.txt',
    parser: ConfigFile_Parser.PROPERTIES,
    createFile: true,
    replacements: [{ key: 'eula', value: { $case: 'text', value: 'true' } }],
  });
  const [problem] = await deps.files.rewriteConfig(await nodeOf(deps, server), server.id, [file]);
  if (problem !== undefined) throw fail('FEATURE_FAILED', `eula.txt could not be written: ${problem}`);
}

async function chooseImage(
  { stores }: ResolveDeps,
  server: GameServer,
  { dockerImage, javaVersion }: FeatureAnswer,
): Promise<GameServer> {
  const image = dockerImage ?? (javaVersion === null ? null : imageForJava(server.egg.dockerImages, javaVersion));
  if (image === null)
    throw invalidFields({
      docker_image: [
        fieldProblem('not_allowed', 'must be one of the images the egg offers, as none of them is known to fit'),
      ],
    });
  return setStartup(stores, server, { environment: {}, dockerImage: image, startupCommand: undefined });
}

async function setToken({ stores }: ResolveDeps, server: GameServer, { token }: FeatureAnswer): Promise<GameServer> {
  if (token === null || token.trim() === '') throw invalidFields({ token: [fieldProblem('required', 'is required')] });
  const name = tokenVariable(server.egg.variables);
  if (name === null) throw fail('FEATURE_FAILED', 'the egg of this server has no variable for the token');
  const environment = { [name]: token.trim() };
  return setStartup(stores, server, { environment, dockerImage: undefined, startupCommand: undefined });
}

/** The change is done even if the restart is rejected. */
async function restart(deps: ResolveDeps, server: GameServer): Promise<boolean> {
  try {
    await requestPowerAction(deps, server, 'restart');
    return true;
  } catch (error) {
    if (isAppError(error) && (error.kind === 'failed_precondition' || error.kind === 'unavailable')) return false;
    throw error;
  }
}
