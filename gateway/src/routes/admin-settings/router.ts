import { MailServiceService, Settings, SettingsServiceService } from '@panel/protos/admin';
import { required } from '../../declaration/present.js';
import { admin, json, one, route, type Route } from '../../declaration/route.js';
import { mailPreview, mailTemplateQuery, mailTemplates, settings, testMailBody, testMailResponse } from './resource.js';

const path = '/api/v1/admin/settings';

export const adminSettingsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'All settings; secrets read "********"',
    access: admin(SettingsServiceService.getSettings),
    rate: 'general',
    response: one(settings.schema),
    carriesSecrets: true,
    handler: async ({ services, rpc }) =>
      settings.present((await services.settings.getSettings({ withLogo: true }, rpc)).settings),
  }),
  route({
    method: 'PUT',
    path,
    summary: 'Change some settings; only the fields given',
    access: admin(SettingsServiceService.updateSettings),
    rate: 'general',
    body: json(settings.updateBody),
    response: one(settings.schema),
    handler: async ({ body, services, rpc }) => {
      const request = { settings: settings.read(Settings, body) };
      return settings.present((await services.settings.updateSettings(request, rpc)).settings);
    },
  }),
  route({
    method: 'POST',
    path: `${path}/email/test`,
    summary: 'Send a test mail and wait for what the mail server says',
    access: admin(MailServiceService.sendTestMail),
    rate: 'general',
    body: json(testMailBody),
    response: one(testMailResponse),
    handler: async ({ body, services, rpc, caller, asGateway }) => {
      const userIds = caller ? [caller.identity.userId] : [];
      const { email, language } = required(
        (await services.users.batchGetUsers({ userIds }, asGateway)).users[0],
        'user',
      );
      const { messageId } = await services.mail.sendTestMail({ to: body.to ?? email, language }, rpc);
      return { accepted: true, message_id: messageId };
    },
  }),
  route({
    method: 'GET',
    path: `${path}/mail/templates`,
    summary: 'Names of all mails, and the languages that they are written in',
    access: admin(MailServiceService.listMailTemplates),
    rate: 'general',
    response: one(mailTemplates),
    handler: async ({ services, rpc }) => services.mail.listMailTemplates({}, rpc),
  }),
  route({
    method: 'GET',
    path: `${path}/mail/templates/{name}`,
    summary: 'A mail with sample values, as it would be sent',
    access: admin(MailServiceService.previewMailTemplate),
    rate: 'general',
    query: mailTemplateQuery,
    response: one(mailPreview),
    handler: async ({ params: { name }, query: { language = '' }, services, rpc }) =>
      services.mail.previewMailTemplate({ name, language }, rpc),
  }),
];
