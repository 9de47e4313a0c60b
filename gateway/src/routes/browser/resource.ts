import { TokenSet } from '@panel/protos/identity';
import { z } from 'zod';
import { resource } from '../../declaration/resource.js';
import { challenge, tokenSet } from '../auth/resource.js';

const { access_token, token_type, expires_in } = tokenSet.fields;

/** Without the refresh token, which is in the cookie alone. */
export const browserSession = resource(TokenSet, 'BrowserSession', { access_token, token_type, expires_in });

export const browserLoginResponse = z.union([browserSession.schema, challenge.schema]);
