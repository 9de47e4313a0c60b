import { z } from 'zod';

/** For a POST that takes nothing: no body, or an empty object. */
export const noBody = z.strictObject({});
