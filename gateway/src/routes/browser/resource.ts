import { TokenSet } from '@panel/protos/identity';
import { z } from 'zod';
import { resource } from '../../declaration/resource.js';
import { challenge, tokenSet } from '../auth/resource.js';

const { access_token, token_type, expires_in } = tokenSet.fields;

/** The refresh token is only in the cookie. */
export const browserSession = resource(TokenSet, 'BrowserSession', { access_token, token_type, expires_in });

export const browserLoginResponse = z.union([browserSession.schema, challenge.schema]);
