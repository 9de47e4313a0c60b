import { type FieldMessages, fieldProblem, issueMessages, requireValid } from '@panel/kit/errors';
import { tooLongAccounts } from './datev-settings.js';
import {
  type SettingsInput,
  secretMask,
  type SettingChanges,
  settingPaths,
  type Settings,
  settingTable,
  type SettingValue,
} from './settings.js';
import { isMemberState, isNumberOf, statesWithoutRate } from './tax-settings.js';

/**
 * Actual changes: a secret given as its mask is left out. Throws INVALID_FIELDS with all REST names
 * ("mail.from_address").
 */
export function checkChanges(given: SettingsInput): SettingChanges {
  const changes: Record<string, SettingValue> = {};
  const problems: FieldMessages = {};
  for (const { group, field, path, restPath, setting } of settingPaths()) {
    const value: unknown = (given[group] as Record<string, unknown> | undefined)?.[field];
    if (value === undefined || (setting.isSecret && value === secretMask)) continue;
    const result = setting.schema.safeParse(value, { reportInput: true });
    if (result.success) changes[path] = result.data;
    else problems[restPath] = Object.values(issueMessages(result.error.issues)).flat();
  }
  requireValid(problems);
  return changes;
}

/** Rules between settings. Throws INVALID_FIELDS. */
export function checkCrossFieldRules(settings: Settings): void {
  const problems: FieldMessages = {};
  const { mail, billing } = settings;
  if (mail.driver === 'smtp' && mail.host === '') {
    problems[`mail.${settingTable.mail.host.restName}`] = [fieldProblem('required', 'is needed to send mail by SMTP')];
  }
  if (billing.terminateDays < billing.suspendDays) {
    problems[`billing.${settingTable.billing.terminateDays.restName}`] = [
      fieldProblem('conflicting', 'must not be before the suspension'),
    ];
  }
  if (tooLongAccounts(billing.datevAccounts, billing.datevAccountDigits).length > 0) {
    problems[`billing.${settingTable.billing.datevAccounts.restName}`] = [
      fieldProblem('conflicting', `must have accounts of at most ${billing.datevAccountDigits + 1} digits`),
    ];
  }
  requireValid({ ...problems, ...eInvoiceProblems(billing), ...taxProblems(billing) });
}

const billingName = (field: keyof typeof settingTable.billing): string =>
  `billing.${settingTable.billing[field].restName}`;

/** What EN 16931 requires of a seller. */
function eInvoiceProblems(billing: Settings['billing']): FieldMessages {
  const { eInvoice, sellerVatNumber, sellerTaxNumber, sellerCountry } = billing;
  if (!eInvoice) return {};
  const required = (['sellerName', 'sellerAddress', 'sellerPostcode', 'sellerCity', 'sellerCountry'] as const)
    .filter((field) => billing[field] === '')
    .map((field) => [billingName(field), [fieldProblem('required', 'is needed for electronic invoices')]]);
  const problems: FieldMessages = Object.fromEntries(required);
  if (sellerVatNumber === '' && sellerTaxNumber === '') {
    const message = 'or a tax number is needed for electronic invoices';
    problems[billingName('sellerVatNumber')] = [fieldProblem('required', message)];
  } else if (sellerVatNumber !== '' && sellerCountry !== '' && !isNumberOf(sellerVatNumber, sellerCountry)) {
    problems[billingName('sellerVatNumber')] = [fieldProblem('conflicting', 'must be of the country of the seller')];
  }
  return problems;
}

/** Of the scheme `eu`, which computes with what these settings say. */
function taxProblems(billing: Settings['billing']): FieldMessages {
  const { taxScheme, sellerCountry, sellerVatNumber } = billing;
  const problems: FieldMessages = {};
  if (taxScheme !== 'eu') return problems;
  if (!isMemberState(sellerCountry)) {
    problems[billingName('sellerCountry')] = [
      fieldProblem('required', 'must be a member state of the EU for the tax scheme eu'),
    ];
  }
  if (sellerVatNumber === '') {
    problems[billingName('sellerVatNumber')] = [fieldProblem('required', 'is needed for the tax scheme eu')];
  } else if (!isNumberOf(sellerVatNumber, sellerCountry)) {
    problems[billingName('sellerVatNumber')] = [fieldProblem('conflicting', 'must be of the country of the seller')];
  }
  const missing = statesWithoutRate(billing);
  if (missing.length > 0) {
    problems[billingName('taxRates')] = [fieldProblem('required', `must name a rate for ${missing.join(', ')}`)];
  }
  return problems;
}

const crossFieldPaths = new Set([
  'mail.driver',
  'mail.host',
  'billing.suspendDays',
  'billing.terminateDays',
  'billing.taxScheme',
  'billing.sellerCountry',
  'billing.sellerVatNumber',
  'billing.sellerVatNumbers',
  'billing.oss',
  'billing.taxRates',
  'billing.eInvoice',
  'billing.sellerName',
  'billing.sellerAddress',
  'billing.sellerPostcode',
  'billing.sellerCity',
  'billing.sellerTaxNumber',
  'billing.datevAccountDigits',
  'billing.datevAccounts',
]);

/** True: touches inputs of `checkCrossFieldRules`. */
export function needsCrossFieldCheck(changes: SettingChanges): boolean {
  return Object.keys(changes).some((path) => crossFieldPaths.has(path));
}

export function withChanges(settings: Settings, changes: SettingChanges): Settings {
  const changed: Record<string, Record<string, unknown>> = {};
  for (const { group, field, path } of settingPaths()) {
    changed[group] ??= {};
    changed[group][field] = changes[path] ?? (settings[group] as Record<string, unknown>)[field];
  }
  return changed as Settings;
}
