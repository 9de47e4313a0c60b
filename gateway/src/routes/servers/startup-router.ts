import { ResolveFeatureRequest, ServerServiceService } from '@panel/protos/servers';
import { listQuery, selectPage } from '../../declaration/list-query.js';
import { json, list, noBody, one, route, type Route, server as access } from '../../declaration/route.js';
import { installLogLine, resolvedFeature, resolveFeatureBody, server, startup, updateStartupBody } from './resource.js';

const path = '/api/v1/servers/{id}';

export const startupRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}/startup`,
    summary: 'How the server is started: command, image, variables',
    access: access(ServerServiceService.getStartup),
    rate: 'general',
    carriesSecrets: true,
    response: one(startup.schema),
    handler: async ({ params, services, rpc }) =>
      startup.present((await services.servers.getStartup({ serverId: params.id }, rpc)).server),
  }),
  route({
    method: 'PUT',
    path: `${path}/startup`,
    summary: 'Change variables, or the image or command to another of the egg; they hold from the next start',
    access: access(ServerServiceService.updateStartup),
    rate: 'general',
    body: json(updateStartupBody),
    response: one(startup.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = {
        serverId: params.id,
        environment: body.environment,
        dockerImage: body.docker_image,
        startupCommand: body.startup_command ?? undefined,
      };
      return startup.present((await services.servers.updateStartup(request, rpc)).server);
    },
  }),
  route({
    method: 'POST',
    path: `${path}/features`,
    summary: 'Do what the game asked for by a feature of its egg: agree to an EULA, use another image or token',
    access: access(ServerServiceService.resolveFeature),
    rate: 'general',
    body: json(resolveFeatureBody),
    response: one(resolvedFeature),
    handler: async ({ params, body, services, rpc }) => {
      const { server: found, isRestarting } = await services.servers.resolveFeature(
        ResolveFeatureRequest.create({
          serverId: params.id,
          feature: body.feature,
          dockerImage: body.docker_image,
          javaVersion: body.java_version,
          token: body.token,
          restart: body.restart,
        }),
        rpc,
      );
      return { docker_image: found?.dockerImage ?? '', restarting: isRestarting };
    },
  }),
  route({
    method: 'POST',
    path: `${path}/reinstall`,
    summary: 'Run the install script again over the files',
    access: access(ServerServiceService.reinstallServer),
    rate: 'general',
    body: json(noBody),
    response: one(server.schema),
    handler: async ({ params, services, rpc }) =>
      server.present((await services.servers.reinstallServer({ serverId: params.id }, rpc)).server),
  }),
  route({
    method: 'GET',
    path: `${path}/install-log`,
    summary: 'What the last installation printed; its last 1000 lines',
    access: access(ServerServiceService.getInstallLog),
    rate: 'general',
    query: listQuery('at', 'step'),
    carriesSecrets: true,
    response: list(installLogLine.schema),
    handler: async ({ params, query, services, rpc }) => {
      const { lines } = await services.servers.getInstallLog({ serverId: params.id }, rpc);
      return selectPage(lines.map(installLogLine.present), query, ({ message }) => message);
    },
  }),
];
