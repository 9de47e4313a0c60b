import { admin, json, one, planned, route, type Route } from '../route.js';
import { presentSettings, settingsMessage } from './present.js';
import { settings, updateSettingsBody } from './schema.js';

const path = '/api/v1/admin/settings';

export const adminSettingsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'All settings; secrets read "********"',
    access: admin('settings.view'),
    rate: 'general',
    answer: one(settings),
    work: async ({ services, rpc }) => presentSettings((await services.settings.getSettings({}, rpc)).settings),
  }),
  route({
    method: 'PUT',
    path,
    summary: 'Change some settings; only the fields given',
    access: admin('settings.update'),
    rate: 'general',
    body: json(updateSettingsBody),
    answer: one(settings),
    work: async ({ body, services, rpc }) => {
      const request = { settings: settingsMessage(body) };
      return presentSettings((await services.settings.updateSettings(request, rpc)).settings);
    },
  }),
  planned('POST', `${path}/email/test`, 'Send a test mail', admin('settings.update')),
];
