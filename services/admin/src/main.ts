import { runProcess } from '@panel/kit/process';
import { readConfig } from './config.js';
import type { ShownMail } from './domain/mail.js';
import { startAdmin } from './service.js';

await runProcess('admin', async () => {
  const config = readConfig();
  const showMail = (mail: ShownMail) => void process.send?.({ type: 'mail', ...mail });
  return startAdmin(config, config.showsMailToParent ? { showMail } : {});
});
