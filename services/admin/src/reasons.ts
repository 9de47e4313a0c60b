import { defineReasons } from '@panel/kit';

/** Why admin refuses. */
export const fail = defineReasons({
  /** Others changed the same settings again and again; trying again may succeed. */
  SETTINGS_BUSY: 'aborted',
});
