import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { storeTexts } from '../i18n/texts/store/store-texts.js';
import { Store } from '../store/store.js';

export const StoreArea = withTexts([resourceTexts, storeTexts], Store);
