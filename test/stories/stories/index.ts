import type { Story } from '../scene.js';
import { quarter, year } from './year.js';

/** Of `npm run story`. A new one is a file beside this and its line here. */
export const stories: readonly Story[] = [year, quarter];
