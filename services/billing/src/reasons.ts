import { defineReasons } from '@panel/kit';

/** Why billing refuses. */
export const fail = defineReasons({
  PRODUCT_SLUG_TAKEN: 'already_exists',
});
