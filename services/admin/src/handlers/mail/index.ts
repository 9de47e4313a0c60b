import { MailServiceService } from '@panel/protos/admin';
import { serve, type ServedService } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { handleEnqueueMail } from './enqueue-mail.js';
import { handleListMailTemplates } from './list-mail-templates.js';
import { handlePreviewMailTemplate } from './preview-mail-template.js';
import { handleSendTestMail } from './send-test-mail.js';

export function createMailService(context: AdminContext): ServedService {
  return serve(MailServiceService, {
    enqueueMail: handleEnqueueMail(context),
    sendTestMail: handleSendTestMail(context),
    listMailTemplates: handleListMailTemplates(),
    previewMailTemplate: handlePreviewMailTemplate(context),
  });
}
