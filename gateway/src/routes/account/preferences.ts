import { AccountServiceService } from '@panel/protos/identity';
import { z } from 'zod';
import { account, json, one, route, type Route } from '../../declaration/route.js';

/** Identity bounds size and depth. */
const preferences = z.record(z.string(), z.unknown()).describe('any JSON object of at most 32 KiB and 16 levels');

function parse(text: string): z.input<typeof preferences> {
  return preferences.parse(JSON.parse(text));
}

export const preferenceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/account/preferences',
    summary: 'What user interfaces keep for you',
    access: account(AccountServiceService.getPreferences),
    rate: 'general',
    response: one(preferences),
    handler: async ({ services, rpc }) => parse((await services.account.getPreferences({}, rpc)).preferencesJson),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/account/preferences',
    summary: 'Replace what user interfaces keep for you',
    access: account(AccountServiceService.updatePreferences),
    rate: 'general',
    body: json(preferences),
    response: one(preferences),
    handler: async ({ body, services, rpc }) => {
      const request = { preferencesJson: JSON.stringify(body) };
      return parse((await services.account.updatePreferences(request, rpc)).preferencesJson);
    },
  }),
];
