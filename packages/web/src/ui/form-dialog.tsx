import type { ReactNode } from 'react';
import { Dialog } from './dialog.js';
import { type Field, type FieldValue, Form, type FormValues, type Problems } from './form.js';
import { Skeleton } from './states.js';

interface FormDialogProps {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly action: string;
  readonly onSubmit: (values: FormValues) => Promise<unknown>;
  readonly onClose: () => void;
  /** The caller replaces it; it does not close itself. */
  readonly staysOpen?: boolean;
  readonly size?: 'small' | 'large';
  readonly isLoading?: boolean;
  readonly kind?: 'primary' | 'danger';
  readonly why?: string | null | false;
  readonly children?: ReactNode | ((problems: Problems) => ReactNode);
}

export function FormDialog(props: FormDialogProps) {
  const { title, size = 'small', onClose, staysOpen, isLoading, children, ...form } = props;
  return (
    <Dialog title={title} size={size} onClose={onClose}>
      {isLoading ? (
        <Skeleton />
      ) : (
        <Form {...form} onCancel={onClose} {...(staysOpen ? {} : { onDone: onClose })}>
          {children}
        </Form>
      )}
    </Dialog>
  );
}

export function wordsOf(value: unknown): string[] {
  return String(value)
    .split(/[\s,]+/)
    .filter((word) => word !== '');
}

/** Text of a field; undefined when empty. */
export function textOf(value: FieldValue | undefined): string | undefined {
  const text = String(value ?? '').trim();
  return text === '' ? undefined : text;
}

export function linesOf(value: FieldValue | undefined): string[] {
  return String(value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
