import { RawReply } from '../../http/raw-reply.js';
import { publicAccess, raw, route, type Route } from '../../declaration/route.js';
import { passwordPagePolicy, renderPasswordPage } from './password-page.js';

const headers = { 'Content-Security-Policy': passwordPagePolicy };

function passwordRoute(path: string, summary: string, page: string): Route {
  return route({
    method: 'GET',
    path,
    summary,
    access: publicAccess,
    rate: 'general',
    response: raw('text/html'),
    headers: ['Content-Security-Policy'],
    handler: async () => new RawReply('text/html', page, { headers }),
  });
}

/** Targets of mailed links (services/admin, mail templates). */
export const pageRoutes: readonly Route[] = [
  passwordRoute(
    '/password/set',
    'The page behind the link in the mail to a new user',
    renderPasswordPage('Choose a password', 'An account has been made for you. Choose the password to sign in with.'),
  ),
  passwordRoute(
    '/password/reset',
    'The page behind the link in the mail to a user who forgot the password',
    renderPasswordPage('Choose a new password', 'The one you had stops working, and all your sessions end.'),
  ),
];
