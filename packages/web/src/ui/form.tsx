import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { ApiError } from '../api/errors.js';
import { Button } from './button.js';
import { ErrorNote, fieldTexts } from './states.js';

export type FieldValue = string | number | boolean;
export type Problems = Readonly<Record<string, readonly string[]>>;
export type FormValues = Readonly<Record<string, FieldValue>>;

/** Constraints are the browser's; the panel's errors appear at the field. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?:
    | 'text'
    | 'email'
    | 'password'
    | 'number'
    | 'area'
    | 'code'
    | 'select'
    | 'suggest'
    | 'check'
    | 'date'
    | 'datetime-local'
    | 'color';
  readonly hint?: string;
  readonly value?: FieldValue;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  /** For `suggest`: loads other options. */
  readonly onType?: (text: string) => void;
  readonly isRequired?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly autoComplete?: string;
  readonly isReadOnly?: boolean;
  readonly isWide?: boolean;
}

interface FormProps {
  readonly fields: readonly Field[];
  readonly action: string;
  readonly onSubmit: (values: FormValues) => Promise<unknown>;
  readonly onCancel?: () => void;
  readonly onDone?: () => void;
  readonly why?: string | null | false;
  /** A function gets the panel's refusals by field. */
  readonly children?: ReactNode | ((problems: Problems) => ReactNode);
  readonly kind?: 'primary' | 'danger';
}

export function Form({ fields, action, onSubmit, onCancel, onDone, why, children, kind = 'primary' }: FormProps) {
  const i18n = useI18n();
  const { t } = i18n;
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const problems = error instanceof ApiError ? fieldTexts(error, i18n) : {};
  const names = new Set(fields.map(({ name }) => name));
  const hasChildFields = typeof children === 'function';
  const isShownAtField = Object.keys(problems).some((name) => names.has(name) || hasChildFields);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (why || isBusy) return;
    const values = readValues(event.currentTarget, fields);
    setIsBusy(true);
    setError(null);
    try {
      await onSubmit(values);
      onDone?.();
    } catch (thrown) {
      setError(thrown);
      const first = thrown instanceof ApiError ? Object.keys(thrown.fields).find((name) => names.has(name)) : undefined;
      if (first !== undefined) form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(first)}"]`)?.focus();
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form ref={form} className="form" onSubmit={(event) => void submit(event)}>
      <div className="fields">
        {fields.map((field) => (
          <FormField key={field.name} field={field} problems={problems[field.name] ?? []} />
        ))}
      </div>
      {hasChildFields ? children(problems) : children}
      {error && !isShownAtField ? <ErrorNote error={error} /> : null}
      <div className="actions">
        {onCancel ? <Button onClick={onCancel}>{t('action.cancel')}</Button> : null}
        <Button type="submit" kind={kind} isBusy={isBusy} why={why}>
          {action}
        </Button>
      </div>
    </form>
  );
}

function readValues(form: HTMLFormElement, fields: readonly Field[]): FormValues {
  const data = new FormData(form);
  const read = ({ name, type }: Field): FieldValue => {
    const given = data.get(name);
    const text = typeof given === 'string' ? given : '';
    if (type === 'check') return data.has(name);
    return type === 'number' && text !== '' ? Number(text) : text;
  };
  return Object.fromEntries(fields.map((field) => [field.name, read(field)]));
}

function FormField({ field, problems }: { readonly field: Field; readonly problems: readonly string[] }) {
  const { type = 'text', label, hint } = field;
  return (
    <FieldFrame
      label={label}
      type={type}
      isWide={field.isWide}
      isRequired={field.isRequired}
      hint={hint}
      problems={problems}
    >
      {(attributes) => (
        <FieldInput
          field={field}
          shared={{ ...attributes, name: field.name, required: field.isRequired, readOnly: field.isReadOnly }}
        />
      )}
    </FieldFrame>
  );
}

interface FieldAttributes {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

interface FieldFrameProps {
  readonly label: string;
  readonly type?: string | undefined;
  readonly isWide?: boolean | undefined;
  readonly isRequired?: boolean | undefined;
  readonly hint?: string | undefined;
  readonly problems?: readonly string[] | undefined;
  readonly children: (attributes: FieldAttributes) => ReactNode;
}

export function FieldFrame({ label, type, isWide, isRequired, hint, problems = [], children }: FieldFrameProps) {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, problems.length > 0 ? `${id}-problem` : ''];
  return (
    <div className="field" data-type={type} data-wide={isWide || undefined}>
      <label htmlFor={id}>
        {label}
        {isRequired ? <span aria-hidden> *</span> : null}
      </label>
      {children({
        id,
        'aria-invalid': problems.length > 0 || undefined,
        'aria-describedby': described.join(' ').trim() || undefined,
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="faint">
          {hint}
        </p>
      )}
      {problems.length > 0 ? (
        <p id={`${id}-problem`} className="problem" role="alert">
          {problems.join(' ')}
        </p>
      ) : null}
    </div>
  );
}

function FieldInput({ field, shared }: { readonly field: Field; readonly shared: Record<string, unknown> }) {
  const { type = 'text', value, options = [] } = field;
  if (type === 'area' || type === 'code') {
    return (
      <textarea
        {...shared}
        rows={type === 'code' ? 10 : 3}
        defaultValue={String(value ?? '')}
        spellCheck={type === 'area'}
        className={type === 'code' ? 'mono' : undefined}
        dir={type === 'code' ? 'ltr' : undefined}
      />
    );
  }
  if (type === 'select') {
    // The key resets the select to reloaded data.
    return (
      <select {...shared} key={String(value ?? '')} defaultValue={String(value ?? '')}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'suggest') {
    const list = `${String(shared['id'])}-list`;
    return (
      <>
        <input
          {...shared}
          type="text"
          list={list}
          autoComplete="off"
          defaultValue={String(value ?? '')}
          onChange={(event) => field.onType?.(event.target.value)}
        />
        <datalist id={list}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </datalist>
      </>
    );
  }
  if (type === 'check') return <input {...shared} type="checkbox" defaultChecked={value === true} />;
  const { min, max, minLength, maxLength, pattern, autoComplete } = field;
  const limits = { min, max, minLength, maxLength, pattern, autoComplete };
  return (
    <input
      {...shared}
      {...limits}
      type={type}
      step={type === 'number' ? 'any' : undefined}
      defaultValue={String(value ?? '')}
    />
  );
}
