/** Steps: what a person does next to get an order done, whoever shows it to them. */

export type Step = FormStep | FileStep | PickStep | PageStep | WaitStep | BankStep | DoneStep;

/** What may be said with any step. */
export interface Told {
  title?: string | undefined;
  humanName?: string | undefined;
  description?: string | undefined;
  /** How far the order has come, in percent. */
  progress?: number | undefined;
}

export interface FormStep extends Told {
  type: 'form';
  /** Whoever asks knows the step by this. */
  key: string;
  fields: readonly Field[];
}

export interface FileStep extends Told {
  type: 'file';
  key: string;
  humanName: string;
  hint?: string | undefined;
  accepts: readonly FileType[];
}

/** One of several steps, whichever suits the person. */
export interface PickStep extends Told {
  type: 'pickOne';
  options: readonly Pick[];
}

export interface Pick {
  title: string;
  description?: string | undefined;
  step: FormStep | FileStep | PageStep;
}

/** A page of the provider's, in a frame or a window of its own; it leads back to us when the person is done. */
export interface PageStep extends Told {
  type: 'iframe' | 'redirect';
  key: string;
  url: string;
  /** What a frame must let the page use. */
  permissions?: readonly string[] | undefined;
  hint?: string | undefined;
}

/** Nothing to do but to ask again. */
export interface WaitStep extends Told {
  type: 'wait';
  message: string;
}

/** The person makes a bank transfer, and is done. */
export interface BankStep extends Told, BankTransfer {
  type: 'requestBankTransaction';
}

export interface DoneStep extends Told {
  type: 'completed';
  /** Where the person can see what becomes of the order. */
  trackingUrl?: string | undefined;
}

export type Field = TextField | DateField | SelectField | ChoiceField | TermsField;

interface Asked {
  /** The key of the answer. */
  name: string;
  humanName: string;
  hint?: string | undefined;
  /** Unless said otherwise. */
  required?: boolean | undefined;
}

export interface TextField extends Asked {
  type: 'string' | 'integer';
}

/** Answered by year, month and day. */
export interface DateField extends Asked {
  type: 'date';
}

export interface SelectField extends Asked {
  type: 'select';
  options: readonly { value: string; humanName: string }[];
}

export interface ChoiceField extends Asked {
  type: 'choice';
  options: readonly string[];
}

/** Terms to agree to. */
export interface TermsField extends Asked {
  type: 'boolean';
  terms: readonly { url: string; humanName: string }[];
}

export const FILE_TYPES = ['image/jpeg', 'image/png', 'application/pdf'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** Where to send money, and what to write beside it. */
export interface BankTransfer {
  account: BankAccount;
  reference: string;
  hint: string;
}

export interface BankAccount {
  iban: string;
  bic: string;
  bankName: string;
  bankAddress: string;
  accountName: string;
  accountAddress: string;
}

/** Answers to a form: texts, whole numbers as text, dates as `2000-12-31`, and agreement. */
export type Answers = Readonly<Record<string, string | true>>;
