import type account from './texts/account/en.json';
import type activity from './texts/activity/en.json';
import type backups from './texts/backups/en.json';
import type calls from './texts/calls/en.json';
import type common from './texts/common/en.json';
import type console from './texts/console/en.json';
import type consoles from './texts/consoles/en.json';
import type databases from './texts/databases/en.json';
import type errors from './texts/errors/en.json';
import type files from './texts/files/en.json';
import type firstSteps from './texts/first-steps/en.json';
import type palette from './texts/palette/en.json';
import type people from './texts/people/en.json';
import type resources from './texts/resources/en.json';
import type schedules from './texts/schedules/en.json';
import type server from './texts/server/en.json';
import type signIn from './texts/sign-in/en.json';
import type staff from './texts/staff/en.json';
import type staffNavigation from './texts/staff-navigation/en.json';
import type startup from './texts/startup/en.json';
import type store from './texts/store/en.json';

/** Texts outside of `common` need `withTexts` of their area. */
export type Key =
  | keyof typeof account
  | keyof typeof activity
  | keyof typeof backups
  | keyof typeof calls
  | keyof typeof common
  | keyof typeof console
  | keyof typeof consoles
  | keyof typeof databases
  | keyof typeof errors
  | keyof typeof files
  | keyof typeof firstSteps
  | keyof typeof palette
  | keyof typeof people
  | keyof typeof resources
  | keyof typeof schedules
  | keyof typeof server
  | keyof typeof signIn
  | keyof typeof staff
  | keyof typeof staffNavigation
  | keyof typeof startup
  | keyof typeof store;

export type Messages = Readonly<Partial<Record<Key, string>>>;
