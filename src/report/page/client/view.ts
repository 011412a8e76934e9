/** One state of the page; when another one comes it is ended. */
export interface View {
  title: string;
  element: HTMLElement;
  end(): void;
}
