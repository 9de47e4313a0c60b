import { Consoles } from '../consoles/consoles.js';
import { withTexts } from '../i18n/with-texts.js';
import { serverTexts } from '../i18n/texts/server/server-texts.js';
import { consolesTexts } from '../i18n/texts/consoles/consoles-texts.js';

/** Up to six consoles side by side with one prompt. */
export const ConsolesPage = withTexts([serverTexts, consolesTexts], Consoles);
