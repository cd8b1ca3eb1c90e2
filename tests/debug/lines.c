/* lines.c - a program to step through by lines: calls, a recursion, a loop (lines.sh). */
static volatile int sink;
static int leaf(int a)
{
    int b = a * 3;

    sink = b;
    return b + 1;
}
__attribute__((noinline)) static int fib(int n)
{
    if (n < 2)
        return n;
    return fib(n - 1) + fib(n - 2);
}
__attribute__((noinline)) static int sum(const int *p, int n)
{
    int total = 0;

    for (int i = 0; i < n; i++)
        total += p[i];
    return total;
}
static const int numbers[] = {1, 2, 3, 4};
int main(void)
{
    int x = sum(numbers, 4);

    x += leaf(x);
    x += fib(5);
    x += leaf(x);
    sink = x;
    return x;
}
