import type { MailServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { previewMailTemplate } from '../../usecases/mail/preview-mail-template.js';

export function handlePreviewMailTemplate(context: AdminContext): Handler<MailServiceService['previewMailTemplate']> {
  return async (request) => previewMailTemplate(context, request);
}
