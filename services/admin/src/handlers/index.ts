import { serve, type ServedService } from '@panel/rpc';
import { ActivityServiceService, MailServiceService, SettingsServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../context.js';
import { enqueueMail } from './enqueue-mail.js';
import { getSettings } from './get-settings.js';
import { listActivity } from './list-activity.js';
import { recordActivity } from './record-activity.js';
import { sendTestMail } from './send-test-mail.js';
import { updateSettings } from './update-settings.js';

/** Everything admin answers. */
export function createHandlers(context: AdminContext): ServedService[] {
  return [
    serve(SettingsServiceService, { getSettings: getSettings(context), updateSettings: updateSettings(context) }),
    serve(MailServiceService, { enqueueMail: enqueueMail(context), sendTestMail: sendTestMail(context) }),
    serve(ActivityServiceService, { recordActivity: recordActivity(context), listActivity: listActivity(context) }),
  ];
}
