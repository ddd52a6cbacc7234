export {};

for (const host of document.querySelectorAll<HTMLElement>("[data-ulna]")) host.dataset.mounted = "";
