import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from 'react';

const Confirm = lazy(async () => ({ default: (await import('./confirm.js')).Confirm }));

/** Confirm, loaded with the first question: for pages that have to be small. */
export function ConfirmLater(props: ComponentProps<typeof Confirm>) {
  return (
    <Suspense fallback={null}>
      <Confirm {...props} />
    </Suspense>
  );
}

type Question = Omit<ComponentProps<typeof Confirm>, 'onClose'>;

/** Asks before something that cannot be undone: `dialog` has to be shown. The question carries what it is about. */
export function useConfirm(): { readonly confirm: (question: Question) => void; readonly dialog: ReactNode } {
  const [question, setQuestion] = useState<Question | null>(null);
  return {
    confirm: setQuestion,
    dialog: question ? <ConfirmLater {...question} onClose={() => setQuestion(null)} /> : null,
  };
}
