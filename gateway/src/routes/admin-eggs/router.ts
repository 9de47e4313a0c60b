import { EggServiceService, ImportEggRequest_Format, NestServiceService } from '@panel/protos/servers';
import { asAttachment } from '@panel/kit/http';
import { RawReply } from '../../http/raw-reply.js';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { admin, type BytesBody, empty, json, list, one, raw, route, type Route } from '../../declaration/route.js';
import {
  appliedEgg,
  applyEggBody,
  createEggBody,
  egg,
  eggFile,
  eggSpec,
  importedEgg,
  importEggQuery,
  isYaml,
  nest,
  updateEggBody,
  updateEggRequest,
} from './resource.js';

const nests = '/api/v1/admin/nests';
const eggs = '/api/v1/admin/eggs';

function formatOf({ type }: BytesBody): ImportEggRequest_Format {
  return isYaml(type) ? ImportEggRequest_Format.YAML : ImportEggRequest_Format.JSON;
}

const nestRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: nests,
    summary: 'All nests',
    access: admin(NestServiceService.listNests),
    rate: 'general',
    query: listQuery('created_at', 'name'),
    response: list(nest.schema),
    handler: async ({ query, services, rpc }) => {
      const answer = await services.nests.listNests({ page: pageRequest(query) }, rpc);
      return { items: answer.nests.map(nest.present), page: answer.page };
    },
  }),
  route({
    method: 'POST',
    path: nests,
    summary: 'Create a nest',
    access: admin(NestServiceService.createNest),
    rate: 'general',
    body: json(nest.createBody),
    response: one(nest.schema),
    status: 201,
    handler: async ({ body, services, rpc }) => nest.present((await services.nests.createNest(body, rpc)).nest),
  }),
  route({
    method: 'GET',
    path: `${nests}/{id}`,
    summary: 'One nest',
    access: admin(NestServiceService.getNest),
    rate: 'general',
    response: one(nest.schema),
    handler: async ({ params, services, rpc }) =>
      nest.present((await services.nests.getNest({ nestId: params.id }, rpc)).nest),
  }),
  route({
    method: 'PUT',
    path: `${nests}/{id}`,
    summary: 'Change a nest; only the fields given',
    access: admin(NestServiceService.updateNest),
    rate: 'general',
    body: json(nest.updateBody),
    response: one(nest.schema),
    handler: async ({ params, body, services, rpc }) =>
      nest.present((await services.nests.updateNest({ nestId: params.id, ...body }, rpc)).nest),
  }),
  route({
    method: 'DELETE',
    path: `${nests}/{id}`,
    summary: 'Delete a nest that has no eggs',
    access: admin(NestServiceService.deleteNest),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.nests.deleteNest({ nestId: params.id }, rpc);
    },
  }),
  route({
    method: 'GET',
    path: `${nests}/{id}/eggs`,
    summary: 'Eggs of a nest',
    access: admin(EggServiceService.listEggs),
    rate: 'general',
    query: listQuery('created_at', 'name'),
    response: list(egg.schema),
    handler: async ({ params, query, services, rpc }) => {
      const answer = await services.eggs.listEggs({ nestId: params.id, page: pageRequest(query) }, rpc);
      return { items: answer.eggs.map(egg.present), page: answer.page };
    },
  }),
  route({
    method: 'POST',
    path: `${nests}/{id}/eggs`,
    summary: 'Create an egg',
    access: admin(EggServiceService.createEgg),
    rate: 'general',
    body: json(createEggBody),
    response: one(egg.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) =>
      egg.present((await services.eggs.createEgg({ nestId: params.id, spec: eggSpec(body) }, rpc)).egg),
  }),
];

const eggRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: `${eggs}/import`,
    summary: 'Import an egg file; the body is the file',
    access: admin(EggServiceService.importEgg),
    rate: 'general',
    query: importEggQuery,
    body: eggFile,
    response: one(importedEgg),
    status: 201,
    handler: async ({ query, body, services, rpc }) => {
      const request = { content: body.bytes, format: formatOf(body), nestId: query.nest_id ?? '' };
      const { egg: imported, warnings } = await services.eggs.importEgg(request, rpc);
      return { ...egg.present(imported), warnings };
    },
  }),
  route({
    method: 'POST',
    path: `${eggs}/{id}/import`,
    summary: 'Replace all that an egg says by an egg file; the body is the file',
    access: admin(EggServiceService.importEgg, 'eggs.update'),
    rate: 'general',
    body: eggFile,
    response: one(importedEgg),
    handler: async ({ params, body, services, rpc }) => {
      const request = { content: body.bytes, format: formatOf(body), nestId: '', eggId: params.id };
      const { egg: imported, warnings } = await services.eggs.importEgg(request, rpc);
      return { ...egg.present(imported), warnings };
    },
  }),
  route({
    method: 'GET',
    path: `${eggs}/{id}`,
    summary: 'One egg',
    access: admin(EggServiceService.getEgg),
    rate: 'general',
    response: one(egg.schema),
    handler: async ({ params, services, rpc }) =>
      egg.present((await services.eggs.getEgg({ eggId: params.id }, rpc)).egg),
  }),
  route({
    method: 'PUT',
    path: `${eggs}/{id}`,
    summary: 'Change an egg; only the fields given, each replaced whole',
    access: admin(EggServiceService.updateEgg),
    rate: 'general',
    body: json(updateEggBody),
    response: one(egg.schema),
    handler: async ({ params, body, services, rpc }) =>
      egg.present((await services.eggs.updateEgg(updateEggRequest(params.id, body), rpc)).egg),
  }),
  route({
    method: 'DELETE',
    path: `${eggs}/{id}`,
    summary: 'Delete an egg that no server uses',
    access: admin(EggServiceService.deleteEgg),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.eggs.deleteEgg({ eggId: params.id }, rpc);
    },
  }),
  route({
    method: 'POST',
    path: `${eggs}/{id}/apply`,
    summary: 'Have servers of an egg take it over from their next start, or tell what would change',
    access: admin(EggServiceService.applyEgg),
    rate: 'general',
    body: json(applyEggBody),
    response: one(appliedEgg.schema),
    handler: async ({ params, body, services, rpc }) => {
      const { dry_run: isPreview, server_ids: serverIds, after: afterServerId = '' } = body;
      return appliedEgg.present(
        await services.eggs.applyEgg({ eggId: params.id, serverIds, isPreview, afterServerId }, rpc),
      );
    },
  }),
  route({
    method: 'GET',
    path: `${eggs}/{id}/export`,
    summary: 'The egg as a PTDL_v2 file',
    access: admin(EggServiceService.exportEgg),
    rate: 'general',
    response: raw('application/json'),
    headers: ['Content-Disposition'],
    handler: async ({ params, services, rpc }) => {
      const { content } = await services.eggs.exportEgg({ eggId: params.id }, rpc);
      const headers = { 'Content-Disposition': asAttachment(`egg-${params.id}.json`) };
      return new RawReply('application/json', content, { headers });
    },
  }),
];

export const adminEggRoutes: readonly Route[] = [...nestRoutes, ...eggRoutes];
