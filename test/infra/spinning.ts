// A scanner whose expression runs wild: it reads, and never answers.
process.stdout.write('"ready"\n')
process.stdin.once("data", () => {
  for (;;);
})
