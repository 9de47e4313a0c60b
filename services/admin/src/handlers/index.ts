import { serve, type ServedService } from '@panel/rpc';
import { ActivityServiceService, MailServiceService, SettingsServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../context.js';
import { enqueueMail } from './mail/enqueue-mail.js';
import { getSettings } from './settings/get-settings.js';
import { listActivity } from './activity/list-activity.js';
import { recordActivity } from './activity/record-activity.js';
import { sendTestMail } from './mail/send-test-mail.js';
import { updateSettings } from './settings/update-settings.js';

/** Everything admin answers. */
export function createHandlers(context: AdminContext): ServedService[] {
  return [
    serve(SettingsServiceService, { getSettings: getSettings(context), updateSettings: updateSettings(context) }),
    serve(MailServiceService, { enqueueMail: enqueueMail(context), sendTestMail: sendTestMail(context) }),
    serve(ActivityServiceService, { recordActivity: recordActivity(context), listActivity: listActivity(context) }),
  ];
}
